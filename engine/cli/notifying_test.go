package cli_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/cli"
	"github.com/assent-dev/assent/engine/cli/runs"
)

// TestNotifyingCommandsExist: each command after which notices are sent is a command, and docs/notify.md names it.
func TestNotifyingCommandsExist(t *testing.T) {
	doc, err := os.ReadFile("../../docs/notify.md")
	if err != nil {
		t.Fatal(err)
	}
	leaves := cli.Leaves()
	for _, name := range runs.Notifying() {
		if !slices.Contains(leaves, name) || !strings.Contains(string(doc), "`"+name+"`") {
			t.Errorf("%s is no command, or docs/notify.md does not name it", name)
		}
	}
}
