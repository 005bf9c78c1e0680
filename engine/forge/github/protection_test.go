package github

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/host/hosttest"
)

func actor(kind string, id int, mode string) map[string]any {
	return map[string]any{"actor_id": id, "actor_type": kind, "bypass_mode": mode}
}

// TestRulesets: an actor may push past the rulesets only if it may bypass all of them
// with a push.
func TestRulesets(t *testing.T) {
	s := newService(t)
	h := s.connect(t, hosttest.Engine)
	s.protect(actor("Integration", 4711, "always"), actor("User", account(hosttest.Ada)["id"].(int), "exempt"),
		actor("RepositoryRole", 5, "pull_request"), actor("Team", 9, "always"), actor("OrganizationAdmin", 1, "always"))
	p, err := h.Protection(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	want := host.Protection{
		Protected: true, Push: []string{"App 4711", "ada", "Team 9", "owners of the organisation"},
		Checks: []string{"assent"}, Approvals: 1, AnySource: true, ManualMerge: true,
	}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Error(diff)
	}
	// Rules about the form of a commit let everyone push a commit of that form. The same
	// holds for rule types unknown to this program.
	all := s.rules
	s.rules = all[2:3]
	for _, kind := range []string{"code_scanning", "required_linear_history", "required_signatures", "commit_message_pattern", "file_path_restriction"} {
		s.rules[0]["type"] = kind
		if p, err := h.Protection(t.Context(), "main"); err != nil || !p.Protected || !p.PushAll || p.Push != nil || !p.ForcePush || !p.Squash || p.Delete {
			t.Errorf("%s: %+v, %v", kind, p, err)
		}
	}
	for _, kind := range []string{"update", "merge_queue", "pull_request"} {
		s.rules[0]["type"] = kind
		if p, err := h.Protection(t.Context(), "main"); err != nil || p.PushAll || len(p.Push) != 4 {
			t.Errorf("%s: %+v, %v", kind, p, err)
		}
	}
	// A required check has a source, or everyone's check counts.
	s.rules = all[1:2]
	for _, c := range []struct {
		check map[string]any
		want  string
	}{{map[string]any{"context": "assent"}, ""}, {map[string]any{"context": "assent", "integration_id": 77}, "App 77"}} {
		s.rules[0]["parameters"] = map[string]any{"strict_required_status_checks_policy": true,
			"required_status_checks": []any{map[string]any{"context": "ci", "integration_id": 1}, c.check}}
		if p, err := h.Protection(t.Context(), "main"); err != nil || p.CheckFrom != c.want || !p.PushAll || len(p.Checks) != 2 {
			t.Errorf("%v: %+v, %v", c.check, p, err)
		}
	}
	// Without rules, and on another branch, everything is allowed, except deleting the
	// default branch.
	s.rules = nil
	for branch, gone := range map[string]bool{"main": false, "other": true} {
		p, err := h.Protection(t.Context(), branch)
		if diff := cmp.Diff(host.Protection{PushAll: true, ForcePush: true, Delete: gone, Squash: true, ManualMerge: true}, p); diff != "" || err != nil {
			t.Error(branch, err, diff)
		}
	}
}

// TestClassicProtection: each setting of classic branch protection has its effect.
func TestClassicProtection(t *testing.T) {
	const people = `{"users":[{"login":"ada"},{"login":"bob"}],"teams":[{"slug":"leads"}],"apps":[{"slug":"assent-engine"}]}`
	for name, c := range map[string]struct {
		answer string
		want   host.Protection
	}{
		"nothing held": {`{"url":"x","enforce_admins":{"enabled":false}}`, host.Protection{PushAll: true, Squash: true}},
		"force and deletion": {`{"allow_force_pushes":{"enabled":true},"allow_deletions":{"enabled":true}}`,
			host.Protection{PushAll: true, ForcePush: true, Squash: true}},
		"checks": {`{"required_status_checks":{"strict":false,"contexts":["assent","ci"],"checks":[{"context":"assent","app_id":1},{"context":"ci","app_id":null}]},"enforce_admins":{"enabled":true}}`,
			host.Protection{PushAll: true, Checks: []string{"assent", "ci"}, CheckFrom: "App 1", Squash: true}},
		"admins pass": {`{"required_status_checks":{"strict":true,"contexts":["assent"],"checks":[]}}`,
			host.Protection{PushAll: true, Checks: []string{"assent"}, AnySource: true, Squash: true}},
		"reviews": {`{"required_pull_request_reviews":{"required_approving_review_count":2,"bypass_pull_request_allowances":` + people + `},"enforce_admins":{"enabled":true}}`,
			host.Protection{Approvals: 2, Push: []string{"ada", "bob", "team leads", "assent-engine[bot]"}, Squash: true}},
		"restricted": {`{"restrictions":` + people + `,"enforce_admins":{"enabled":true}}`,
			host.Protection{Push: []string{"ada", "bob", "team leads", "assent-engine[bot]"}, Squash: true}},
		"restricted, and checks": {`{"restrictions":` + people + `,"required_status_checks":{"strict":true,"contexts":["assent"],"checks":[]},"enforce_admins":{"enabled":true}}`,
			host.Protection{Checks: []string{"assent"}, AnySource: true, Squash: true}},
		"locked": {`{"restrictions":` + people + `,"lock_branch":{"enabled":true},"enforce_admins":{"enabled":true}}`, host.Protection{Squash: true}},
		"linear": {`{"required_linear_history":{"enabled":true}}`, host.Protection{PushAll: true, Squash: true}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(t)
			h, _ := s.scripted(t, &clock{now: time.Now()}, nil, reply(http.StatusOK, c.answer))
			p, err := h.Protection(t.Context(), "main")
			c.want.Protected, c.want.ManualMerge = true, true
			if diff := cmp.Diff(c.want, p); diff != "" || err != nil {
				t.Error(err, diff)
			}
		})
	}
}

// TestProtectionUnknown: an account that may not read everything gets ErrUnknown instead
// of a part.
func TestProtectionUnknown(t *testing.T) {
	s := newService(t)
	s.protect(actor("OrganizationAdmin", 1, "always"))
	s.roles[hosttest.Bob] = "admin"
	hidden := reply(http.StatusOK, `{"id":42,"name":"gate","source":"guild/workspace","enforcement":"active"}`)
	h, _ := s.scripted(t, &clock{now: time.Now()}, nil, nil, nil, hidden)
	if p, err := h.Protection(t.Context(), "main"); !errors.Is(err, host.ErrUnknown) {
		t.Errorf("without the actors: %+v, %v", p, err)
	}
	for _, status := range []int{http.StatusForbidden, http.StatusNotFound} {
		h, _ := s.scripted(t, &clock{now: time.Now()}, nil, reply(status, `{"message":"Resource not accessible by integration"}`))
		if p, err := h.Protection(t.Context(), "main"); !errors.Is(err, host.ErrUnknown) {
			t.Errorf("%d: %+v, %v", status, p, err)
		}
	}
	for _, status := range []int{http.StatusForbidden, http.StatusNotFound} {
		h, _ := s.scripted(t, &clock{now: time.Now()}, reply(status, `{"message":"Resource not accessible by integration"}`))
		if p, err := h.Pushes(t.Context(), "main"); !errors.Is(err, host.ErrUnknown) {
			t.Errorf("%d: %+v, %v", status, p, err)
		}
	}
}

// TestPushesLong: a list of pushes longer than a page has cursors, and is read to its
// end.
func TestPushesLong(t *testing.T) {
	s := newService(t)
	for range perPage + 3 {
		s.mu.Lock()
		next := s.store(s.refs["main"])
		s.mu.Unlock()
		s.push(hosttest.Bob, "main", next)
	}
	list, err := s.connect(t, hosttest.Engine).Pushes(t.Context(), "main")
	if err != nil || len(list) != perPage+3 || list[0].New != list[1].Old || list[perPage+2].New.String() != s.refs["main"] {
		t.Errorf("%d pushes: %v", len(list), err)
	}
}
