package inforce

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/home/ask"
	"github.com/assent-dev/assent/engine/registry/graph"
)

// pushing is how long a push may take.
const pushing = 10 * time.Minute

// pushedJSON is the answer of assent graph --push: what was written, and how many nodes it replaced.
type pushedJSON struct {
	Nodes    int  `json:"nodes"`
	Edges    int  `json:"edges"`
	Replaced int  `json:"replaced"`
	DryRun   bool `json:"dry_run,omitempty"`
}

// pushGraph has assent-bolt write a graph into a database.
func pushGraph(ctx context.Context, c *console.Console, o graphOptions, g graph.Graph) error {
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	program, err := bolt()
	if err != nil {
		return err
	}
	words := []string{program, "-workspace", cur.ID(), o.push}
	if o.dryRun {
		words = slices.Insert(words, 1, "-dry-run")
	} else {
		c.Progress("writing %d nodes and %d edges", len(g.Nodes), len(g.Edges))
	}
	done := pushedJSON{DryRun: o.dryRun}
	answer, err := ask.Form{Most: 1 << 10}.Program(words).Ask(ctx, pushing, g)
	if err == nil {
		err = json.Unmarshal(answer, &done)
	}
	if err != nil {
		return fmt.Errorf("push the graph: %w", err)
	}
	if c.JSON {
		return c.Emit(done)
	}
	if o.dryRun {
		c.Printf("would write %d nodes and %d edges to %s, in place of this workspace's earlier ones\n", done.Nodes, done.Edges, console.OneLine(o.push))
		return nil
	}
	c.Printf("wrote %d nodes and %d edges to %s, in place of %d earlier nodes\n", done.Nodes, done.Edges, console.OneLine(o.push), done.Replaced)
	return nil
}

// bolt finds assent-bolt: beside this program, else where a shell would.
func bolt() (string, error) {
	name := "assent-bolt"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if self, err := os.Executable(); err == nil {
		if beside := filepath.Join(filepath.Dir(self), name); isFile(beside) {
			return beside, nil
		}
	}
	found, err := exec.LookPath(name)
	if err != nil {
		return "", errors.New("assent-bolt, which speaks to the database, is not installed: go install github.com/assent-dev/assent/cmd/assent-bolt@latest")
	}
	return filepath.Abs(found)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
