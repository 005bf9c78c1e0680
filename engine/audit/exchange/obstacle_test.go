package exchange

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

func TestUnobstructed(t *testing.T) {
	at := tree.Hash{1}
	moves := func() []remote.Move {
		return []remote.Move{{Ref: "refs/assent/pulls/a-1", New: at}, {Ref: "refs/heads/proposal/a-1", New: at}, {Ref: "refs/assent/pulls/b-2", New: at}, {Ref: attest.MainRef, New: at}}
	}
	for name, tc := range map[string]struct {
		there      map[string]tree.Hash
		goes, held []string
	}{
		"nothing in the way": {map[string]tree.Hash{"refs/assent/pulls/c-3": at, "refs/heads/x": at}, []string{"refs/assent/pulls/a-1", "refs/heads/proposal/a-1", "refs/assent/pulls/b-2", attest.MainRef}, nil},
		"below a journal":    {map[string]tree.Hash{"refs/assent/pulls/a-1/x": at}, []string{"refs/assent/pulls/b-2"}, []string{"a-1", "main"}},
		"below a branch":     {map[string]tree.Hash{"refs/heads/proposal/a-1/x/y": at}, []string{"refs/assent/pulls/b-2"}, []string{"a-1", "main"}},
		"above all journals": {map[string]tree.Hash{"refs/assent/pulls": at}, nil, []string{"a-1", "b-2", "main"}},
		"above all":          {map[string]tree.Hash{"refs/assent": at}, nil, []string{"a-1", "b-2", "main"}},
	} {
		p := pushing{there: tc.there, o: Options{Remote: "origin"}}
		var goes, held []string
		for _, m := range p.unobstructed(moves()) {
			goes = append(goes, m.Ref)
		}
		for _, h := range p.held {
			held = append(held, h.What)
		}
		if diff := cmp.Diff(tc.goes, goes) + cmp.Diff(tc.held, held); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

func TestObstacles(t *testing.T) {
	refs := []string{"refs/assent", "refs/assent/pulls", "refs/assent/pulls/a-1", "refs/assent/stops/x/y", "refs/assent/trials/x/y", "refs/heads/proposal", "refs/heads/proposal/a-1", "refs/heads/main", "refs/heads/inbox/a/b"}
	if diff := cmp.Diff([]string{"refs/assent", "refs/assent/pulls", "refs/assent/stops/x/y", "refs/assent/trials/x/y", "refs/heads/proposal"}, InTheWay(refs)); diff != "" {
		t.Error(diff)
	}
}

func TestForeign(t *testing.T) {
	for ref, want := range map[string]bool{
		"refs/assent/notes": true, "refs/assent/foo/bar": true, "refs/assent/pulls/Junk": true, "refs/assent/runs/x": true,
		"refs/assent/pulls/tidy-0abc1234": false, "refs/assent/closed/2026": false, "refs/assent/closed/2026-origin": false,
		"refs/assent/runs/tidy-0abc1234": false, "refs/assent/stops/x": true, "refs/heads/main": false,
	} {
		if Foreign(ref) != want {
			t.Errorf("%s: %v", ref, !want)
		}
	}
}
