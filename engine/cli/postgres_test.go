package cli_test

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/assent-dev/assent/engine/cli/clitest"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/trialdb/pgtest"
)

// TestPostgres runs the program with PostgreSQL as the store of trials. `postgres stop` and `postgres start`
// end and begin the server.
func TestPostgres(t *testing.T) {
	s := pgtest.Start(t)
	params := clitest.Params("postgres")
	setup := params.Setup
	params.Setup = func(env *testscript.Env) error {
		env.Setenv("CONNECTION", s.Connection(pgtest.Database))
		env.Setenv(workspace.PostgresVariable, "")
		return setup(env)
	}
	params.Cmds["postgres"] = func(_ *testscript.TestScript, _ bool, args []string) {
		s.Stop()
		if args[0] == "start" {
			s.Run(t)
		}
	}
	testscript.Run(t, params)
}
