package stress_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/effort"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/serve"
	"github.com/assent-dev/assent/engine/forge/host/memhost"
	"github.com/assent-dev/assent/engine/forge/hosted"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
)

// runEngine serves in the clone in which it was started, on a forge that pushes every change to
// origin. The process's own memory replaces the service's pull requests; no decision depends on
// it.
func runEngine() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	service := memhost.New(func(branch string) tree.Hash {
		repo, err := gitstore.Open(os.Args[1])
		if err != nil {
			return tree.Hash{}
		}
		at, _ := repo.Ref("refs/heads/" + branch)
		return at
	})
	return serve.New(serve.Settings{
		Make: func(ctx context.Context) (serve.Outcome, error) {
			repo, err := gitstore.Open(".")
			if err != nil {
				return serve.Outcome{}, err
			}
			w := workspace.Of(repo, workspace.Surroundings{Now: time.Now, Random: rand.Reader})
			w.Forge = hosted.New(repo, "origin", service.As("engine"), func(ctx context.Context, _ string) error {
				_, err := exchange.Pull(ctx, w, "origin", false)
				return err
			})
			return serve.Pass(ctx, w, serve.Options{Remote: "origin"})
		},
		Poll: time.Second, Settle: 10 * time.Millisecond, Grace: time.Minute, Log: slog.New(slog.NewJSONHandler(os.Stderr, nil)),
	}).Run(ctx, listener)
}

// Four engines have a clone each and share one remote. They are killed at random, some of them
// between a push and its answer, while agents push to the remote's inbox and a person decides
// there. Only compare-and-swap on the remote coordinates them: each branch becomes one proposal,
// and each is merged or refused once.
func TestEnginesOfOneRemote(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("nothing ends a process there in the way that SIGKILL does")
	}
	s := seed(t)
	p := newPlace(t, 4)
	hub := filepath.Join(p.root, "hub.git")
	p.must(t, git("clone", "-q", "--mirror", p.dir, hub).in(p.root))
	p.must(t, git("remote", "remove", "origin").in(hub))
	p.dir = hub
	c := &campaign{T: t, place: p, tally: newTally(), actor: actor{p, dice(s, 0)}, checker: newChecker(p)}
	e := &engines{alone: true}
	for i := range 4 {
		dir := filepath.Join(p.root, fmt.Sprintf("engine%d", i))
		p.must(t, assent("clone", hub, dir).in(p.root))
		own := *p
		own.env = append(append([]string{}, p.env...), "ASSENT_HOME="+dir+"-home") // as on a machine of its own
		e.all = append(e.all, own.start(t, "engine", dir, hub))
	}
	plans := p.submit(t, dice(s, 1), effort.Of(3, 6, 200))
	c.struck(e, plans, dice(s, 2), effort.Of(2, 5, 60))
	for _, d := range e.all {
		c.converges(d)
	}
	e.stop(t)
	c.accounts(plans)
	t.Logf("%d proposals, %d kills", len(plans), e.kills)
}

// converges waits until a clone has the remote's main: no engine may keep a main of its own.
func (c *campaign) converges(d *daemon) {
	c.Helper()
	at, there := "", "?"
	for end := time.Now().Add(2 * time.Minute); at != there && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		there = c.place.must(c.T, git("rev-parse", "main"))
		at = c.place.must(c.T, git("rev-parse", "main").in(d.cmd.Dir))
	}
	if at != there {
		said, _ := os.ReadFile(d.log)
		c.Errorf("main is at %s here and at %s there:\n%s", at, there, said)
	}
}
