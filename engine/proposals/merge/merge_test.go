package merge_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/approve"
	"github.com/assent-dev/assent/engine/proposals/merge"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace/worldtest"
)

// world is a workspace with one human and an agent.
type world struct{ *worldtest.World }

func begin(t *testing.T) world {
	t.Helper()
	return world{worldtest.New(t, "kublai")}
}

func knot(name, text string) []tree.Edit {
	return []tree.Edit{{Path: "skills/" + name + "/SKILL.md", Content: fmt.Appendf(nil,
		"---\nname: %s\ndescription: Ties a %[1]s. Use when a rope has to hold.\n---\n# Tie\n\n%s\n", name, text)}}
}

func (d world) opened(edits []tree.Edit) forge.Pull {
	d.Helper()
	out, err := propose.Open(d.Context(), d.Workspace, d.Request(edits))
	d.OK(err)
	if !out.Opened {
		d.Fatalf("not opened: %v", out.Diagnostics)
	}
	return out.Examined.Case.Pull
}

func (d world) decided(id string, what review.Decision) {
	d.Helper()
	_, err := approve.Run(d.Context(), d.Workspace, approve.Decision{Proposal: id, Decision: what, Reason: "so", Signer: d.Ada})
	d.OK(err)
}

func (d world) merge(id string, dry bool) merge.Outcome {
	d.Helper()
	out, err := merge.Run(d.Context(), d.Workspace, id, forge.Actor{Name: "kublai"}, dry)
	d.OK(err)
	return out
}

func (d world) inForce() tree.Hash {
	d.Helper()
	cur, err := d.Session(d.Context())
	d.OK(err)
	return cur.InForce
}

// An approved proposal merges once: main gets a commit of both lines that names the proposal, and
// a second merge reports the first.
func TestMerge(t *testing.T) {
	d := begin(t)
	d.Attester = d.Ada
	p, before := d.opened(knot("bowline", "Make a loop.")), d.Main()
	if out := d.merge(p.ID, false); out.Merged || !strings.HasPrefix(out.Refused, "waiting") || d.Main() != before {
		t.Fatalf("before anybody approved: %+v", out)
	}
	d.decided(p.ID, review.Approve)
	if out := d.merge(p.ID, true); out.Merged || out.Refused != "" || d.Main() != before {
		t.Fatalf("a dry run: merged %v, refused %q", out.Merged, out.Refused)
	}
	out := d.merge(p.ID, false)
	if !out.Merged || out.Before || out.Commit != d.Main() || d.inForce() != out.Commit || out.Signer != review.FingerprintOf(d.Ada.PublicKey()) {
		t.Fatalf("%+v", out)
	}
	c, err := d.Repo.Commit(out.Commit)
	d.OK(err)
	if !slices.Equal(c.Parents, []tree.Hash{before, p.Head}) || c.Trailer("Assent-Proposal") != p.ID || c.Trailer("Assent-Approved-By") != "ada" {
		t.Errorf("parents %v, trailers of %q", c.Parents, c.Message)
	}
	again := d.merge(p.ID, false)
	if !again.Merged || !again.Before || again.Commit != out.Commit || again.Signer != out.Signer || d.Main() != out.Commit {
		t.Errorf("the second time: %+v", again)
	}
}

// Reasons that keep an approved proposal from merging; nothing moves.
func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		does func(d world, p forge.Pull)
		says string
	}{
		"a reviewer objects":         {func(d world, p forge.Pull) { d.decided(p.ID, review.RequestChanges) }, "asked for changes"},
		"the approval is taken back": {func(d world, p forge.Pull) { d.decided(p.ID, review.Revoke) }, "waiting"},
		"other content": {func(d world, p forge.Pull) {
			_, err := propose.Update(d.Context(), d.Workspace, p.ID, d.Request(knot("bowline", "Make no loop.")))
			d.OK(err)
		}, "waiting"},
		"an unrecorded push": {func(d world, p forge.Pull) {
			head := d.Commit("More\n", []tree.Hash{p.Head}, tree.Edit{Path: "skills/bowline/more.md", Content: []byte("More.\n")})
			d.OK(d.Repo.Update(gitstore.RefUpdate{Name: "refs/heads/" + p.Branch, Old: p.Head, New: head}))
		}, "refused"},
		"main changed the same file": {func(d world, _ forge.Pull) {
			other := d.opened(knot("bowline", "Make a large loop."))
			d.decided(other.ID, review.Approve)
			if out := d.merge(other.ID, false); !out.Merged {
				d.Fatal(out.Refused)
			}
		}, "skills/bowline/SKILL.md"},
		"main is past what is in force": {func(d world, _ forge.Pull) { d.Straight("past the gate", knot("sheet-bend", "Two ropes.")...) }, "assent adopt"},
		"it was withdrawn": {func(d world, p forge.Pull) {
			d.OK(d.Forge.Close(d.Context(), p.ID, forge.Closing{By: forge.Actor{Name: "kublai"}, Why: "withdrawn", At: d.Tick()}))
		}, "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			d := begin(t)
			p := d.opened(knot("bowline", "Make a loop."))
			d.decided(p.ID, review.Approve)
			c.does(d, p)
			before := d.Main()
			out := d.merge(p.ID, false)
			if out.Merged || !strings.Contains(out.Refused, c.says) || d.Main() != before {
				t.Errorf("merged %v, refused %q", out.Merged, out.Refused)
			}
		})
	}
}

// Of many that merge at once, each proposal merges exactly once, and main holds all of them.
func TestAtOnce(t *testing.T) {
	const n = 6
	d := begin(t)
	var ids []string
	for i := range n {
		p := d.opened(knot(fmt.Sprintf("knot-%c", 'a'+i), fmt.Sprintf("Tie it %d times.", i+1)))
		d.decided(p.ID, review.Approve)
		ids = append(ids, p.ID, p.ID) // twice each
	}
	outcomes, errs := make([]merge.Outcome, len(ids)), make([]error, len(ids))
	var all sync.WaitGroup
	for i, id := range ids {
		all.Go(func() {
			outcomes[i], errs[i] = merge.Run(t.Context(), d.Workspace, id, forge.Actor{Name: "kublai"}, false)
		})
	}
	all.Wait()
	d.OK(errors.Join(errs...))
	made := map[tree.Hash]int{}
	for i, out := range outcomes {
		if !out.Merged {
			t.Errorf("%s: %s", ids[i], out.Refused)
		}
		made[out.Commit]++
	}
	line := 0
	d.OK(d.Repo.Lineage(d.Main(), func(c gitstore.Commit) (bool, error) {
		if c.Trailer("Assent-Proposal") != "" {
			line++
			if made[c.Hash] != 2 {
				t.Errorf("%s was the answer of %d", c.Subject(), made[c.Hash])
			}
		}
		return true, nil
	}))
	if line != n || d.inForce() != d.Main() {
		t.Errorf("%d merges on main, %s in force of %s", line, d.inForce(), d.Main())
	}
}

// A key that the policies do not list attests nothing, and merges all the same.
func TestUnlistedAttester(t *testing.T) {
	d := begin(t)
	d.Attester = d.Key("mallory")
	p := d.opened(knot("bowline", "Make a loop."))
	d.decided(p.ID, review.Approve)
	out := d.merge(p.ID, false)
	if !out.Merged || out.Signer != "" {
		t.Fatalf("merged %v, signed with %q", out.Merged, out.Signer)
	}
	att, err := d.Attestation(t.Context(), out.Examined.Case.Pull)
	d.OK(err)
	if att.Signer != "" || att.Proposal != p.ID || att.Tree.IsZero() {
		t.Errorf("%+v", att)
	}
}
