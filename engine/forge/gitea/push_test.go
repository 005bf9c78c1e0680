package gitea

import (
	"fmt"
	"testing"

	sdk "code.gitea.io/sdk/gitea"
	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/tree"
)

// at is a commit that is called by one letter.
func at(letter byte) tree.Hash {
	var h tree.Hash
	for i := range h {
		h[i] = letter
	}
	return h
}

// entry is what the server tells of a push: from is a letter, or a branch's name.
func entry(login, from string, to byte, commits int) *sdk.Activity {
	if len(from) == 1 {
		from = at(from[0]).String()
	}
	text := fmt.Sprintf(`{"Commits":[],"HeadCommit":{"Sha1":%q},"CompareURL":"o/r/compare/%s...%s","Len":%d}`, at(to), from, at(to), commits)
	return &sdk.Activity{OpType: "commit_repo", RefName: "refs/heads/b", ActUser: &sdk.User{UserName: login}, Content: text}
}

func TestPushes(t *testing.T) {
	removed := &sdk.Activity{OpType: "delete_branch", RefName: "refs/heads/b", ActUser: &sdk.User{UserName: "ada"}, Content: "{}"}
	long := &sdk.Activity{OpType: "commit_repo", RefName: "refs/heads/b", ActUser: &sdk.User{UserName: "bob"}, Content: "{}"}
	for name, c := range map[string]struct {
		feed []*sdk.Activity
		head byte
		want string
	}{
		"nothing":                    {nil, 0, ""},
		"nobody tells":               {nil, 'a', "? .-a"},
		"created":                    {[]*sdk.Activity{entry("ada", "main", 'a', 3)}, 'a', "ada .-a"},
		"created in a long history":  {[]*sdk.Activity{entry("ada", "p", 'a', 10)}, 'a', "ada .-a"},
		"pushed":                     {[]*sdk.Activity{entry("ada", "main", 'a', 3), entry("bob", "a", 'b', 1)}, 'b', "ada .-a, bob a-b"},
		"created by who hides":       {[]*sdk.Activity{entry("bob", "a", 'b', 1)}, 'b', "? .-a, bob a-b"},
		"hidden in between":          {[]*sdk.Activity{entry("ada", "main", 'a', 3), entry("bob", "x", 'b', 10)}, 'b', "ada .-a, ? a-x, bob x-b"},
		"hidden at the end":          {[]*sdk.Activity{entry("ada", "main", 'a', 3)}, 'x', "ada .-a, ? a-x"},
		"removed and made again":     {[]*sdk.Activity{entry("ada", "main", 'a', 3), removed, entry("bob", "main", 'b', 4)}, 'b', "ada .-a, ada a-., bob .-b"},
		"removed by who hides":       {[]*sdk.Activity{entry("ada", "main", 'a', 3), entry("bob", "main", 'b', 4)}, 'b', "ada .-a, ? a-., bob .-b"},
		"a text that was cut off":    {[]*sdk.Activity{entry("ada", "main", 'a', 3), long, entry("ada", "b", 'c', 1)}, 'c', "ada .-a, bob a-b, ada b-c"},
		"the last text was cut off":  {[]*sdk.Activity{entry("ada", "main", 'a', 3), long}, 'b', "ada .-a, bob a-b"},
		"the first text was cut off": {[]*sdk.Activity{long, entry("ada", "b", 'c', 1)}, 'c', "bob .-b, ada b-c"},
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
