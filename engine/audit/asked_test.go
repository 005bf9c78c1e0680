package audit_test

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/reconcile"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/hosted"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/proposals/merge"
)

// asking makes the service merge, at once or through a queue that waits.
func (s *serviced) asking(queue bool) {
	s.server.Waiting = true
	s.server.Merging = func(r host.Request, _ string) (tree.Hash, error) {
		return s.made(r.Head, pressed{}), nil
	}
	f, ok := s.Forge.(*hosted.Forge)
	if !ok {
		s.Fatal("the forge is no service's")
	}
	s.Forge = f.Asking(queue)
}

// TestAskedToMerge: the service makes an allowed merge and the requester attests it. A
// merge that is not allowed, or that could not be attested here, is not requested.
func TestAskedToMerge(t *testing.T) {
	for _, c := range []struct {
		name    string
		without bool // a witness
		why     string
		play    func(s *serviced) string
	}{
		{name: "allowed", play: func(s *serviced) string { return s.approvedThere(s.limits()) }},
		{name: "without a witness", without: true, why: "no key here may attest", play: func(s *serviced) string {
			id := s.proposed(proposal.Proposal{Goal: "tie"}, skill("bowline", "Pull."))
			s.decided(id, s.Ada, review.Approve)
			s.decided(id, s.bob, review.Approve)
			return id
		}},
		{name: "not approved enough", why: "needs 2 approvals", play: func(s *serviced) string {
			id := s.proposed(proposal.Proposal{Goal: "limits"}, s.limits())
			s.onPage(id, "ada", "approve", "")
			return id
		}},
		{name: "objected to", why: "bob", play: func(s *serviced) string {
			id := s.approvedThere(s.limits())
			s.onPage(id, "bob", "request-changes", "no")
			return id
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := onService(t, !c.without)
			id := c.play(s)
			s.asking(false)
			before := s.there("refs/heads/main")
			out, err := merge.Run(s.Context(), s.Workspace, id, forge.Actor{Name: "engine"}, false)
			s.OK(err)
			if out.Merged != (c.why == "") || !strings.Contains(out.Refused, c.why) || out.Made.IsZero() == out.Merged {
				t.Fatalf("%+v", out)
			}
			if !out.Merged {
				if at := s.there("refs/heads/main"); at != before {
					t.Errorf("main moved to %s", at.Short())
				}
				return
			}
			s.attested(id, s.there("refs/heads/main"))
		})
	}
}

// TestQueuedToMerge: a queue is asked once and merges later; the request is cancelled if
// the gate no longer allows the merge. The next pass attests its merge.
func TestQueuedToMerge(t *testing.T) {
	s := onService(t, true)
	id := s.approvedThere(s.limits())
	s.asking(true)
	pass := func(want ...string) {
		t.Helper()
		p, err := reconcile.Run(s.Context(), s.Workspace, reconcile.Options{})
		s.OK(err)
		var got []string
		for _, r := range p.Results {
			if r.Subject == id && r.Action != reconcile.DoValidate && r.Action != reconcile.DoShow {
				got = append(got, r.Outcome)
			}
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%q, want %q", got, want)
		}
	}
	ask := func() {
		t.Helper()
		out, err := merge.Run(s.Context(), s.Workspace, id, forge.Actor{Name: "engine"}, false)
		s.OK(err)
		if !out.Queued || out.Merged || out.Refused != "" {
			t.Errorf("%+v", out)
		}
	}
	before := s.there("refs/heads/main")
	ask()
	ask()
	pass()
	s.onPage(id, "bob", "request-changes", "wait")
	pass(reconcile.Unqueued)
	pass()
	s.OK(s.server.Pass())
	if at := s.there("refs/heads/main"); at != before {
		t.Fatalf("main moved to %s", at.Short())
	}
	s.onPage(id, "bob", "approve", "")
	ask()
	s.OK(s.server.Pass())
	pass(reconcile.Merged)
	s.attested(id, s.there("refs/heads/main"))
}
