package cli_test

import (
	"bytes"
	"crypto/rand"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/cli"
	"github.com/assent-dev/assent/engine/cli/console"
)

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "answer", Err: syscall.ENOSPC}
}

// An answer that could not be written is a failure, whichever command gave it.
func TestAnswerThatIsCutShort(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"--help"}, {"schema", "skill"}, {"doctor"}, {"version", "--json"}} {
		var errs bytes.Buffer
		code := cli.Run(t.Context(), append([]string{"-C", t.TempDir()}, args...), console.World{
			In: strings.NewReader(""), Out: full{}, Err: &errs, Getenv: os.Getenv, Random: rand.Reader,
			Now: time.Now, Width: func() int { return 80 },
		})
		if code != 4 || !strings.Contains(errs.String(), "the disk is full") {
			t.Errorf("%v: exit code %d\n%s", args, code, &errs)
		}
	}
}
