package gitea

import (
	"fmt"
	"testing"

	sdk "code.gitea.io/sdk/gitea"
	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/tree"
)

// at returns a commit that is identified by one letter.
func at(letter byte) tree.Hash {
	var h tree.Hash
	for i := range h {
		h[i] = letter
	}
	return h
}

// entry returns the server's entry for a push; from and to are letters.
func entry(login string, from, to byte) *sdk.Activity {
	text := fmt.Sprintf(`{"Commits":[],"HeadCommit":{"Sha1":%q},"CompareURL":"o/r/compare/%s...%s","Len":1}`, at(to), at(from), at(to))
	return &sdk.Activity{OpType: "commit_repo", RefName: "refs/heads/b", ActUser: &sdk.User{UserName: login}, Content: text}
}

// other returns an entry without commits.
func other(login, op, text string) *sdk.Activity {
	return &sdk.Activity{OpType: op, RefName: "refs/heads/b", ActUser: &sdk.User{UserName: login}, Content: text}
}

func TestPushes(t *testing.T) {
	begins, removed, long := other("ada", "commit_repo", ""), other("ada", "delete_branch", ""), other("bob", "commit_repo", "{}")
	created := entry("ada", 'm', 'a') // compared with main, where it branched off
	for name, c := range map[string]struct {
		feed []*sdk.Activity
		head byte
		want string
	}{
		"nothing":                    {nil, 0, ""},
		"nobody tells":               {nil, 'a', "? .-a"},
		"created":                    {[]*sdk.Activity{begins, created}, 'a', "ada .-a"},
		"about to be created":        {[]*sdk.Activity{begins}, 'a', "? .-a"},
		"pushed":                     {[]*sdk.Activity{begins, created, entry("bob", 'a', 'b')}, 'b', "ada .-a, bob a-b"},
		"created by who hides":       {[]*sdk.Activity{entry("bob", 'a', 'b')}, 'b', "? .-a, bob a-b"},
		"hidden in between":          {[]*sdk.Activity{begins, created, entry("bob", 'x', 'b')}, 'b', "ada .-a, ? a-x, bob x-b"},
		"hidden at the end":          {[]*sdk.Activity{begins, created}, 'x', "ada .-a, ? a-x"},
		"removed":                    {[]*sdk.Activity{begins, created, removed}, 0, "ada .-a, ada a-."},
		"removed and made again":     {[]*sdk.Activity{begins, created, removed, begins, entry("bob", 'm', 'b')}, 'b', "ada .-a, ada a-., bob .-b"},
		"removed by who hides":       {[]*sdk.Activity{begins, created, begins, entry("bob", 'm', 'b')}, 'b', "ada .-a, ? a-., bob .-b"},
		"a text that was cut off":    {[]*sdk.Activity{begins, created, long, entry("ada", 'b', 'c')}, 'c', "ada .-a, bob a-b, ada b-c"},
		"the last text was cut off":  {[]*sdk.Activity{begins, created, long}, 'b', "ada .-a, bob a-b"},
		"the first text was cut off": {[]*sdk.Activity{begins, long, entry("ada", 'b', 'c')}, 'c', "bob .-b, ada b-c"},
	} {
		var moves []move
		for _, a := range c.feed {
			m, ok := moveOf(a)
			if !ok {
				t.Fatalf("%s: %+v is no move", name, a)
			}
			moves = append(moves, m)
		}
		var head tree.Hash
		if c.head != 0 {
			head = at(c.head)
		}
		got := ""
		for _, p := range pushes(moves, head) {
			if p.Login == "" {
				p.Login = "?"
			}
			got += ", " + p.Login + " " + letter(p.Old) + "-" + letter(p.New)
		}
		if diff := cmp.Diff(c.want, got[min(2, len(got)):]); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

func letter(h tree.Hash) string {
	if h.IsZero() {
		return "."
	}
	return string(h[:1])
}

func TestOtherActivityIsNoMove(t *testing.T) {
	for _, a := range []*sdk.Activity{
		{OpType: "merge_pull_request", RefName: "refs/heads/b"}, {OpType: "commit_repo", RefName: "refs/tags/b"}, {OpType: "create_repo"},
	} {
		if m, ok := moveOf(a); ok {
			t.Errorf("%s on %s is the move %+v", a.OpType, a.RefName, m)
		}
	}
}
