package cli

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/console"
)

// TestUnknownVerb: a command with subcommands refuses an unknown one. A command that does nothing by
// itself refuses a call without a subcommand. A script must not take either for done.
func TestUnknownVerb(t *testing.T) {
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
		if !cmd.HasSubCommands() || !cmd.HasParent() || strings.Contains(cmd.Use, " ") { // a word can be its argument
			return
		}
		var failed *console.Failure
		ours := reflect.ValueOf(cmd.RunE).Pointer() == reflect.ValueOf(withoutVerb).Pointer()
		if err := cmd.ValidateArgs([]string{"bogus"}); !ours && (!errors.As(err, &failed) || failed.Code != console.ExitUsage) {
			t.Errorf("%s bogus: %v", cmd.CommandPath(), err)
		}
		for _, args := range [][]string{nil, {"bogus"}} {
			if err := withoutVerb(cmd, args); ours && (!errors.As(err, &failed) || failed.Code != console.ExitUsage) {
				t.Errorf("%s %v: %v", cmd.CommandPath(), args, err)
			}
		}
	}
	walk(newRoot(&console.Console{World: console.World{Getenv: func(string) string { return "" }}}))
}
