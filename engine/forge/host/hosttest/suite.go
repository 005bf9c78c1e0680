package hosttest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/host"
)

// suite is one test's view of a harness.
type suite struct {
	*testing.T
	Harness
	ctx    context.Context
	host   host.Host // as Engine
	serial int
}

func newSuite(t *testing.T, fresh func(*testing.T) Harness) *suite {
	t.Helper()
	s := &suite{T: t, Harness: fresh(t), ctx: t.Context()}
	s.host = s.as(Engine)
	return s
}

// as connects an account, without waiting.
func (s *suite) as(who string) host.Host { s.Helper(); return s.Connect(s.T, who, nil, hasty) }

// hasty waits for a small part of d: services act some time after their answers.
func hasty(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
	case <-time.After(min(d/20, time.Second)):
	}
	return ctx.Err()
}

// naps is a sleep that records its durations.
type naps struct {
	mu    sync.Mutex
	asked []time.Duration
}

func (n *naps) sleep(ctx context.Context, d time.Duration) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked = append(n.asked, d)
	return ctx.Err()
}

// needs skips the test if the service lacks a feature.
func (s *suite) needs(f Feature) {
	s.Helper()
	if why, lacks := s.Lacks[f]; lacks {
		s.Skipf("%s lacks: %s (%s)", s.Name, f, why)
	}
}

func (s *suite) ok(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *suite) same(what string, got, want any) {
	s.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		s.Errorf("%s (-want +got)\n%s", what, diff)
	}
}

// denied checks that the service refused permanently, with a complete explanation.
func (s *suite) denied(what string, err error) {
	s.Helper()
	s.advised(what, err, 0)
}

// advised checks that a refusal has a status (0: any) and that its advice contains these
// words.
func (s *suite) advised(what string, err error, status int, words ...string) {
	s.Helper()
	var d *host.Denied
	if !errors.As(err, &d) {
		s.Errorf("%s: %v; want a refusal", what, err)
		return
	}
	if d.Doing == "" || d.Said == "" || d.Status < 300 || status != 0 && (d.Status != status || d.Fix == "") {
		s.Errorf("%s: the refusal is incomplete: %#v", what, d)
	}
	for _, w := range words {
		if !strings.Contains(d.Fix, w) {
			s.Errorf("%s: %q does not name %q", what, d.Fix, w)
		}
	}
}

// until polls until complaint returns "", because services act after their answers. The
// timeout is long, so that a slow machine does not fail.
func (s *suite) until(what string, complaint func() string) {
	s.Helper()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		said := complaint()
		if said == "" {
			return
		}
		if time.Now().After(end) {
			s.Fatalf("%s: %s", what, said)
		}
	}
}

// branch pushes a new branch with one commit on the base, as Engine.
func (s *suite) branch(slug string) (string, tree.Hash) {
	s.Helper()
	s.serial++
	name := fmt.Sprintf("proposal/%s-%08d", slug, s.serial)
	head := s.Commit(s.T, fmt.Sprintf("skills/%s-%d.md", slug, s.serial), slug, s.Tip(s.T, Base))
	s.Push(s.T, Engine, name, head)
	return name, head
}

// open pushes a branch and opens a pull request for it.
func (s *suite) open(slug string) host.Request {
	s.Helper()
	branch, _ := s.branch(slug)
	r, err := s.host.Create(s.ctx, host.New{Branch: branch, Base: Base, Title: "Add " + slug, Body: "Why: " + slug})
	s.ok(err)
	return r
}

func (s *suite) find(branch string) host.Request {
	s.Helper()
	r, err := s.host.Find(s.ctx, branch, Base)
	s.ok(err)
	return r
}

// writes counts the requests of do, as Engine, that are not plain reads.
func (s *suite) writes(do func(host.Host)) int {
	s.Helper()
	c := &counter{}
	do(s.Connect(s.T, Engine, c, hasty))
	return c.writes
}

type counter struct {
	mu          sync.Mutex
	writes, all int
}

func (c *counter) RoundTrip(req *http.Request) (*http.Response, error) {
	c.mu.Lock()
	c.all++
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		c.writes++
	}
	c.mu.Unlock()
	return http.DefaultTransport.RoundTrip(req)
}
