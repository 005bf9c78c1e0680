package cli_test

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

// The scripts in testdata/script run the program itself, one behaviour each: how a
// workspace begins, what is in force there, whether it is sound, and who uses it. Those
// of proposals, of what runs and of services lie in the packages of these names.
func TestScripts(t *testing.T) { testscript.Run(t, clitest.Params("script")) }
