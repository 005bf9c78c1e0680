package attacks_test

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/assent-dev/assent/engine/cli/clitest"
)

// The program is this test binary under another name.
func TestMain(m *testing.M) {
	testscript.Main(tidy{m}, map[string]func(){"assent": func() { os.Exit(clitest.Main()) }})
}

// tidy removes the world that all tests copy.
type tidy struct{ m *testing.M }

// Run implements testscript.TestingM. A process that runs one attack without a defence uses the
// world of its parent.
func (t tidy) Run() int {
	if os.Getenv("ASSENT_ATTACKS_WORLD") != "" {
		return t.m.Run()
	}
	dir, err := os.MkdirTemp("", "attacks-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Setenv("ASSENT_ATTACKS_WORLD", dir); err != nil {
		panic(err)
	}
	return t.m.Run()
}
