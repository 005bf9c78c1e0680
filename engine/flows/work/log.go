package work

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/home"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// MaxLog bounds the output of one run of a command that is kept, in bytes; logs older than keepLogs go.
const (
	MaxLog   = 16 << 20
	keepLogs = 7 * 24 * time.Hour
)

// log creates the file for the output of a task's command, and removes old ones.
func (w Worker) log(store home.Store, t task.Task) (*os.File, error) {
	const dir = "work-logs"
	old, _ := store.List(dir)
	for _, f := range old {
		if time.Since(f.ModTime()) > keepLogs {
			_ = store.Remove(dir + "/" + f.Name())
		}
	}
	name := fmt.Sprintf("%s/%s--%s--%d.log", dir, t.Run.ID, t.Job.Name, t.State.Attempt)
	if err := store.Cache(name, nil); err != nil {
		return nil, err
	}
	return os.OpenFile(store.Path(name), os.O_WRONLY|os.O_APPEND, fs.FileMode(0o600))
}

// spend adds what one run of the command used.
func (w Worker) spend(r *Report, took time.Duration) {
	one := run.Spent{Runs: 1, MS: took.Milliseconds()}
	if out, err := os.Open(r.Log); err == nil {
		defer out.Close()
		tokens, cost := w.Usage(io.NewSectionReader(out, r.read, 2*MaxLog))
		one.Tokens, one.Cost = max(tokens, 0), max(cost, 0)
		if info, err := out.Stat(); err == nil {
			r.read = info.Size()
		}
	}
	r.Task.Spent = r.Task.Spent.Plus(&one) // which bounds it
}
