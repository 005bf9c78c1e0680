package remote_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
	"github.com/assent-dev/assent/engine/git/remote"
)

// round is one push of a random history: its refs and their commits.
type round struct{ refs, commits []int }

// story is a random history and its pushes.
type story struct {
	steps  []storetest.Step
	rounds []round
	// lent is a commit that the hub has in an alternate; -1 is none.
	lent int
}

func stories() *rapid.Generator[story] {
	return rapid.Custom(func(t *rapid.T) story {
		s := story{steps: storetest.Histories().Draw(t, "history")}
		number := rapid.IntRange(0, len(s.steps)-1)
		s.lent = number.Draw(t, "lent")
		for range rapid.IntRange(1, 3).Draw(t, "rounds") {
			refs := rapid.SliceOfNDistinct(rapid.IntRange(0, 3), 1, 3, rapid.ID).Draw(t, "refs")
			s.rounds = append(s.rounds, round{refs, rapid.SliceOfN(number, len(refs), len(refs)).Draw(t, "commits")})
		}
		s.rounds = append(s.rounds, round{[]int{0}, []int{len(s.steps) - 1}})
		return s
	})
}

func (n round) ref(i int) string {
	return fmt.Sprintf([]string{"refs/heads/%d", "refs/assent/pulls/%d"}[n.refs[i]%2], n.refs[i])
}

// drawStories returns random stories; the first is a change and its undo.
func drawStories(n int) []story {
	first := storetest.Step{Like: -1, Write: []string{"a", "d/x", "d/y"}, Content: "1"}
	change := storetest.Step{Parents: []int{0}, Like: 0, Write: []string{"d/x"}, Content: "2"}
	undo := storetest.Step{Parents: []int{1}, Like: 0}
	all := []story{{steps: []storetest.Step{first, change, undo}, rounds: []round{{[]int{0}, []int{2}}}, lent: -1}}
	for seed := range n {
		all = append(all, stories().Example(seed))
	}
	return all
}

// TestPushIsWhole: Git's own receiver accepts any sequence of pushes and misses no object.
func TestPushIsWhole(t *testing.T) {
	for seed, s := range drawStories(3) {
		places(t, func(t *testing.T, dir, url string) {
			lend(t, dir, s)
			strange(t, dir)
			r := remoteAt(t, newRepo(t), url)
			commits, err := storetest.Build(r, s.steps)
			if err != nil {
				t.Fatal(err)
			}
			at := map[string]tree.Hash{}
			for _, n := range s.rounds {
				var moves []remote.Move
				for i, c := range n.commits {
					moves = append(moves, remote.Move{Ref: n.ref(i), Old: at[n.ref(i)], New: commits[c]})
					at[n.ref(i)] = commits[c]
				}
				if _, err := push(t, r, moves...); err != nil {
					t.Fatalf("seed %d: %v\n%+v", seed, err, s)
				}
			}
			git(t, dir, "fsck", "--connectivity-only", "--no-dangling")
			for ref, want := range at {
				if got := git(t, dir, "rev-parse", ref); got != want.String() {
					t.Errorf("seed %d: %s is %s there, want %s", seed, ref, got, want)
				}
			}
		})
	}
}

// lend gives the hub one commit of the history in an alternate.
func lend(t *testing.T, dir string, s story) {
	t.Helper()
	if s.lent < 0 {
		return
	}
	other := newRepo(t)
	commits, err := storetest.Build(other, s.steps)
	if err != nil {
		t.Fatal(err)
	}
	update(t, other, "refs/heads/lent", tree.Hash{}, commits[s.lent])
	write(t, dir, "objects/info/alternates", filepath.Join(other.GitDir(), "objects")+"\n")
}

// strange gives the hub a branch that only it has.
func strange(t *testing.T, dir string) {
	t.Helper()
	other := newRepo(t)
	h := commit(t, other, tree.Hash{}, 0, files("theirs", "x")...)
	update(t, other, "refs/heads/theirs", tree.Hash{}, h)
	git(t, other.Root(), "push", "-q", dir, "refs/heads/theirs")
}

// TestOutgoingIsAPack: git index-pack accepts a pack beside the objects that the receiver had.
func TestOutgoingIsAPack(t *testing.T) {
	for _, s := range drawStories(6) {
		dir, r := hub(t), newRepo(t)
		commits, err := storetest.Build(r, s.steps)
		if err != nil {
			t.Fatal(err)
		}
		there := gitstore.Known{Refs: map[string]tree.Hash{}}
		for _, n := range s.rounds {
			var wants []tree.Hash
			for _, c := range n.commits {
				wants = append(wants, commits[c])
			}
			pack, err := r.Outgoing(wants, there)
			if err != nil {
				t.Fatal(err)
			}
			indexPack(t, dir, pack)
			for i, h := range wants {
				there.Refs[n.ref(i)] = h
				git(t, dir, "update-ref", n.ref(i), h.String())
			}
		}
		git(t, dir, "fsck", "--strict", "--no-dangling")
	}
}

func indexPack(t *testing.T, dir string, pack []byte) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pack")
	if err := os.WriteFile(file, pack, 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	cmd := exec.Command("git", "index-pack", "--fix-thin", "--stdin")
	cmd.Dir, cmd.Stdin = dir, in
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("index-pack: %v\n%s", err, out)
	}
}
