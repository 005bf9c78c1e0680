package runs_test

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/assent-dev/assent/engine/cli/clitest"
)

// The program is this test binary under another name.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"assent": func() { os.Exit(clitest.Main()) }})
}

func TestScripts(t *testing.T) {
	p := clitest.Params("script")
	p.Condition = func(string) (bool, error) { return false, nil } // see TestGiteaYear
	testscript.Run(t, p)
}
