package stress_test

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/effort"
)

// Four engines have a clone each and share a real Gitea. The network between them loses, delays,
// doubles and garbles messages, and the engines are killed between a merge's request and its
// answer. Agents push to the inbox, one person decides on the server's pages and another one with
// a key, and approved branches get further pushes. The result is read by ordinary git in a fresh
// clone and from Gitea's API: each proposal was merged once or refused once, and main is one line
// that can be audited.
func TestEnginesBesideGitea(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("nothing ends a process there in the way that SIGKILL does")
	}
	began := time.Now()
	s := seed(t)
	w := newService(t, dice(s, 0), 4)
	w.net.wanted = effort.Of(6, 6, 40)
	errands := w.errands(dice(s, 1), effort.Of(18, 18, 200))
	w.net.weather(false)
	w.see(errands)
	w.net.weather(true)
	w.settle(errands)
	w.accounts(errands)
	for _, e := range w.engines {
		t.Logf("%s: %d lives, ended with %v", e.name, e.life, e.exits)
	}
	t.Logf("%d proposals in %s: %s", len(errands), time.Since(began).Round(time.Second), w.net)
	if got := w.net.counted("killed: " + pushOfMain); got < w.net.wanted {
		t.Errorf("%d kills between the push of a merge and its answer, want %d", got, w.net.wanted)
	}
}

// patience is how long no errand may end while some should.
const patience = 6 * time.Minute

// see submits errands, a few at a time, and follows them to their end.
func (s *service) see(all []*errand) {
	s.Helper()
	ended, submitted, last := 0, 0, time.Now()
	for ended < len(all) {
		open, before := s.open(), ended
		for _, e := range all[:submitted] {
			if !e.ended && s.look(e, open) {
				ended++
				s.Logf("%d: %s, %s", ended, e.id, e.course)
			}
			if !e.ended && e.head != "" {
				s.further(e)
			}
		}
		for submitted < len(all) && submitted-ended < 6 {
			s.submit(all[submitted])
			submitted++
		}
		s.revive()
		if ended > before {
			last = time.Now()
		}
		if time.Since(last) > patience || s.Failed() || s.Context().Err() != nil {
			s.stuck(all[:submitted])
		}
		time.Sleep(200 * time.Millisecond) // between two looks; nothing is expected by then
	}
}

// open returns the open pull requests by branch, the newest if there are several.
func (s *service) open() map[string]request {
	s.Helper()
	open := map[string]request{}
	for _, r := range s.requests("open") {
		if r.Number > open[r.Head.Label].Number {
			open[r.Head.Label] = r
		}
	}
	return open
}

// look finds an errand's pull request, and reports whether it ended.
func (s *service) look(e *errand, open map[string]request) bool {
	s.Helper()
	e.head = ""
	for label, r := range open {
		if strings.HasPrefix(label, "proposal/"+e.name) {
			if e.number != r.Number {
				e.approved = nil // on another one
			}
			e.number, e.id, e.head = r.Number, strings.TrimPrefix(label, "proposal/"), r.Head.Sha
			return false
		}
	}
	if e.number == 0 {
		return false
	}
	s.api("ada", http.MethodGet, fmt.Sprintf("/pulls/%d", e.number), nil, &e.request)
	if !e.request.Merged && e.merges() { // it may have been shown by two, and the other one counts
		for _, r := range s.requests("closed") {
			if r.Head.Label == "proposal/"+e.id && r.Merged {
				e.number, e.request = r.Number, r
			}
		}
	}
	e.ended = e.request.Merged || e.request.State == "closed" && !e.merges()
	return e.ended
}

// revive restarts engines that were killed or ended a pass.
func (s *service) revive() {
	s.Helper()
	for _, e := range s.engines {
		must(s.T, e.begin())
	}
}

// stuck logs the state when nothing happens any more.
func (s *service) stuck(all []*errand) {
	s.Helper()
	for _, e := range all {
		if !e.ended {
			s.Logf("%s (%s) #%d at %q, approved %.10q, pushed %.10s, asked %v, patience %d", e.id, e.course, e.number, e.head, e.approved, e.pushed, e.asked, e.patience)
		}
	}
	for _, e := range s.engines {
		s.Logf("%s: %s", e.name, e.said())
	}
	s.Fatalf("nothing came to an end in %s: %s", patience, s.net)
}

// settle waits until the server shows no work in progress and all clones have its main, and ends
// the engines.
func (s *service) settle(errands []*errand) {
	s.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(200 * time.Millisecond) {
		left := s.unsettled()
		if left == "" {
			break
		}
		for _, r := range s.open() {
			for _, e := range errands { // a request to open it that came much later
				if e.id == strings.TrimPrefix(r.Head.Label, "proposal/") && !e.request.Merged && !e.asked {
					s.api("bob", http.MethodPatch, fmt.Sprintf("/pulls/%d", r.Number), map[string]any{"state": "closed"}, nil)
				}
			}
		}
		if time.Now().After(end) {
			s.Errorf("still %s", left)
			s.stuck(errands)
		}
		s.revive()
	}
	for _, e := range s.engines {
		e.end(s.T)
	}
}

// unsettled names a thing that is still to be done.
func (s *service) unsettled() string {
	s.Helper()
	main := ""
	for line := range strings.Lines(s.place.must(s.T, git("ls-remote", "--heads", s.url))) {
		hash, ref, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if ref != "refs/heads/main" {
			return "a branch " + ref
		}
		main = hash
	}
	for label := range s.open() {
		return "a pull request of " + label
	}
	for _, e := range s.engines {
		if at := strings.TrimSpace(s.place.must(s.T, git("rev-parse", "main").in(e.dir))); at != main {
			return fmt.Sprintf("main at %s in the clone of %s and at %s there", at, e.name, main)
		}
	}
	return ""
}
