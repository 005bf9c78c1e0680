package stress_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/effort"
)

// daemon is a process that serves until it is stopped.
type daemon struct {
	cmd   *exec.Cmd
	log   string
	ended chan error
	// again starts another daemon like it.
	again func(*testing.T) *daemon
}

// start starts a daemon in the folder dir; it ends with the test at the latest.
func (p *place) start(t *testing.T, program, dir string, args ...string) *daemon {
	t.Helper()
	file, err := os.CreateTemp(p.root, "daemon-*.log")
	must(t, err)
	defer file.Close()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, p.env, file
	inherit(cmd, file)
	must(t, cmd.Start())
	d := &daemon{cmd, file.Name(), make(chan error, 1), func(t *testing.T) *daemon { return p.start(t, program, dir, args...) }}
	go func() { d.ended <- cmd.Wait() }()
	t.Cleanup(func() { kill(cmd, true) })
	return d
}

// stop asks a daemon that serves to end, and returns the error of its process.
func (d *daemon) stop(ctx context.Context) error {
	for said, err := os.ReadFile(d.log); !strings.Contains(string(said), `"msg":"serving"`); said, err = os.ReadFile(d.log) {
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := d.cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	return <-d.ended
}

// engines are daemons side by side that the test kills.
type engines struct {
	all   []*daemon
	kills int
	// alone reports that a kill spares the processes that a daemon started, such as the remote's
	// git, which really runs on another machine. If that died between two refs, it would leave its
	// lock and half a push.
	alone bool
}

// strike kills one daemon and starts another in its place.
func (e *engines) strike(t *testing.T, r *rand.Rand) {
	t.Helper()
	i := r.IntN(len(e.all))
	kill(e.all[i].cmd, r.IntN(2) == 0 && !e.alone)
	<-e.all[i].ended
	e.kills++
	e.all[i] = e.all[i].again(t)
}

// stop ends all daemons, which has to succeed.
func (e *engines) stop(t *testing.T) {
	t.Helper()
	for _, d := range e.all {
		if err := d.stop(t.Context()); err != nil {
			said, _ := os.ReadFile(d.log)
			t.Errorf("a daemon ended with %v:\n%s", err, said)
		}
	}
}

// plan is the expected result of a proposal that is pushed to the inbox.
type plan struct {
	skill  string
	merges bool
}

// submit pushes n drafts into the inbox with plain git.
func (p *place) submit(t *testing.T, r *rand.Rand, n int) []plan {
	t.Helper()
	clone := filepath.Join(p.root, "submitter")
	p.must(t, git("clone", "-q", p.dir, clone))
	var out []plan
	for i := range n {
		a := plan{name("skill", r), i%4 != 3}
		file := filepath.Join(clone, "skills", a.skill, "SKILL.md")
		must(t, os.MkdirAll(filepath.Dir(file), 0o777))
		text := fmt.Sprintf("---\nname: %s\ndescription: Hums a tune. Use when somebody asks for background music.\n---\n# Hum\n\nThis is version %s.\n", a.skill, a.skill)
		must(t, os.WriteFile(file, []byte(text), 0o666))
		for _, c := range []command{git("switch", "-q", "--detach", "origin/main"), git("add", "skills"), git("commit", "-qm", a.skill)} {
			p.must(t, c.in(clone))
		}
		p.must(t, git("push", "-q", "origin", "HEAD:refs/heads/inbox/"+pick(r, p.agents)+"/"+a.skill).in(clone))
		out = append(out, a)
	}
	return out
}

// decide makes a person's decision about one open proposal, as planned. It returns the number of
// plans that are not carried out yet.
func (c *campaign) decide(plans []plan) (left int) {
	c.Helper()
	r, err := c.place.reader()
	must(c.T, err)
	h, err := c.place.recall(r)
	must(c.T, err)
	must(c.T, r.close())
	decided := false
	for _, p := range plans {
		ids := h.of(p.skill)
		if len(ids) == 0 || h.open(ids[0]) {
			left++
		}
		if decided || len(ids) == 0 || len(h.journals[ids[0]].of("review")) > 0 {
			continue
		}
		decided = true
		x := c.actor.about("review", ids[0])
		if !p.merges {
			x.args[2] = "reject"
		}
		o, err := c.place.run(c.Context(), x.command)
		must(c.T, err)
		if o.exit == 0 {
			c.ledger.add(fact{kind: "review", on: ids[0], text: x.token})
		} else if reason(o) == "" {
			c.Errorf("no reason that is allowed: %s", o)
		}
	}
	return left
}

// of returns the proposals of a skill.
func (h history) of(skill string) []string {
	var ids []string
	for id := range h.journals {
		if strings.HasPrefix(id, skill) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Four daemons work in one repository and are killed at random, while agents push to
// its inbox and a person decides. Each branch becomes one proposal, and each proposal
// is merged once or refused once, as decided.
func TestDaemonsInOneRepository(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("nothing ends a process there in the way that SIGKILL does")
	}
	s := seed(t)
	p := newPlace(t, 4)
	c := &campaign{T: t, place: p, tally: newTally(), actor: actor{p, dice(s, 0)}, checker: newChecker(p)}
	e := &engines{}
	for range 4 {
		e.all = append(e.all, p.start(t, "assent", p.dir, "serve", "--listen", "127.0.0.1:0", "--poll", "1s", "--settle", "10ms"))
	}
	plans := p.submit(t, dice(s, 1), effort.Of(4, 8, 200))
	c.struck(e, plans, dice(s, 2), effort.Of(3, 6, 60))
	e.stop(t)
	c.accounts(plans)
	p.must(t, assent("doctor"))
	t.Logf("%d proposals, %d kills", len(plans), e.kills)
}

// struck decides and kills until all plans are carried out and the number of kills is reached.
func (c *campaign) struck(e *engines, plans []plan, r *rand.Rand, kills int) {
	c.Helper()
	for c.decide(plans) > 0 {
		if c.Context().Err() != nil || c.Failed() {
			c.Fatal(context.Cause(c.Context()))
		}
		if e.kills < kills {
			// The moment is random, so no effect can be expected yet.
			time.Sleep(time.Duration(r.IntN(500)) * time.Millisecond)
			e.strike(c.T, r)
		}
	}
}

// accounts compares the final state in git with the plans.
func (c *campaign) accounts(plans []plan) {
	c.Helper()
	h := c.verify(nil)
	for _, p := range plans {
		ids := h.of(p.skill)
		if len(ids) != 1 {
			c.Errorf("%s became the proposals %v", p.skill, ids)
			continue
		}
		closed := h.journals[ids[0]].of("closed")
		switch merged := h.merge(ids[0]).hash != ""; {
		case merged != p.merges:
			c.Errorf("%s: merged is %v, decided was %v", ids[0], merged, p.merges)
		case !merged && len(closed) != 1, merged && len(closed) > 0:
			c.Errorf("%s was closed %d times", ids[0], len(closed))
		}
	}
	for ref := range h.refs {
		if strings.HasPrefix(ref, "refs/heads/inbox/") {
			c.Errorf("%s is left", ref)
		}
	}
	c.place.must(c.T, assent("audit", "verify"))
}
