package clients_test

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/assent-dev/assent/engine/cli/clitest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"assent": func() { os.Exit(clitest.Main()) }})
}

// The scripts run the program itself as agent clients do.
func TestScripts(t *testing.T) { testscript.Run(t, clitest.Params("script")) }
