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

// The scripts in testdata/script run the program itself, one behaviour each: beginning a
// workspace, its content in force, its soundness, and its identities. Those of proposals, of
// automatic work and of services are in the packages of these names.
func TestScripts(t *testing.T) { testscript.Run(t, clitest.Params("script")) }
