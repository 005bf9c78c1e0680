package exchange

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/hosted"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/proposals/approve"
	"github.com/assent-dev/assent/engine/proposals/merge"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace/attest"
	"github.com/assent-dev/assent/engine/workspace/worldtest"
)

// stranger returns a commit that this clone lacks.
func stranger() tree.Hash { return tree.Hash{1, 2, 3} }

// clone is a workspace with one open and one merged proposal, and a remote that has
// everything.
type clone struct {
	*worldtest.World
	open, merged string
	there        map[string]tree.Hash
}

func newClone(t *testing.T) clone {
	t.Helper()
	c := clone{World: worldtest.New(t, "kublai")}
	c.merged = c.propose("bowline")
	_, err := approve.Run(t.Context(), c.Workspace, approve.Decision{Proposal: c.merged, Decision: review.Approve, Signer: c.Ada})
	c.OK(err)
	out, err := merge.Run(t.Context(), c.Workspace, c.merged, forge.Actor{Name: "kublai"}, false)
	c.OK(err)
	if !out.Merged {
		t.Fatal(out.Refused)
	}
	c.open = c.propose("sheet-bend")
	c.there = map[string]tree.Hash{}
	for _, below := range []string{"refs/heads/", "refs/assent/"} {
		refs, err := c.Repo.Refs(below)
		c.OK(err)
		for _, ref := range refs {
			c.there[ref.Name] = ref.Hash
		}
	}
	return c
}

func (c clone) propose(knot string) string {
	c.Helper()
	out, err := propose.Open(c.Context(), c.Workspace, c.Request([]tree.Edit{{
		Path: "skills/" + knot + "/SKILL.md",
		Content: []byte("---\nname: " + knot + "\ndescription: Says how to tie a " + knot + ". Use when a " + knot +
			" is to be tied.\n---\n\n# " + knot + "\n\nTake the rope with both hands and follow the picture.\n"),
	}}))
	c.OK(err)
	if !out.Opened {
		c.Fatal(out.Diagnostics)
	}
	return out.Pull.ID
}

func (c clone) journal(id string) string { return local.PullPrefix + id }

func (c clone) branch(id string) string { return "refs/heads/" + forge.BranchPrefix + id }

// before returns the first parent of a ref's commit here.
func (c clone) before(ref string) tree.Hash {
	c.Helper()
	commit, err := c.Repo.Commit(c.there[ref])
	c.OK(err)
	return commit.Parents[0]
}

// beside returns a commit with the same parent as a ref's commit here; beyond returns a
// child of it.
func (c clone) beside(ref string) tree.Hash {
	return c.Commit("another\n", []tree.Hash{c.before(ref)})
}

func (c clone) beyond(ref string) tree.Hash { return c.Commit("more\n", []tree.Hash{c.there[ref]}) }

// decided is the result of a push, with shortened names of refs.
type decided struct {
	Moves  []string // in their order
	Held   []string
	Behind []string
	Ended  []string
}

func (c clone) decide(p *pushing) decided {
	c.Helper()
	p.w, p.o.Remote = c.Workspace, "origin"
	moves, err := p.decide(c.Context(), c.there)
	c.OK(err)
	if made := len(moves) > 0; made && (p.o.DryRun || len(p.behind) > 0) {
		c.Errorf("it moves %v and must not", moves)
	}
	short := strings.NewReplacer(c.open, "OPEN", c.merged, "MERGED", "refs/assent/", "", "refs/heads/", "").Replace
	var out decided
	for _, m := range p.moves {
		if here, err := c.Repo.Ref(m.Ref); err != nil || here != m.New || m.Old != c.there[m.Ref] {
			c.Errorf("%s moves from %s to %s, which are not the refs' values there and here", m.Ref, m.Old.Short(), m.New.Short())
		}
		out.Moves = append(out.Moves, short(m.Ref))
	}
	for _, h := range p.held {
		out.Held = append(out.Held, short(h.What+": "+h.Why))
	}
	for _, b := range p.behind {
		out.Behind = append(out.Behind, short(b))
	}
	for _, m := range p.ended {
		out.Ended = append(out.Ended, short(m.Ref))
	}
	return out
}

// TestDecide: the moves of a push follow from the local state and the remote's.
func TestDecide(t *testing.T) {
	main := attest.MainRef
	const more = ": the remote has more of it, which a push takes in first"
	const unpublished = "MERGED: it is merged here, on a main that is not published"
	c := newClone(t)
	all := c.there
	for _, tc := range []struct {
		name string
		// there changes the state of the remote, initially everything.
		there func(there map[string]tree.Hash)
		with  pushing
		want  decided
	}{
		{name: "the remote has everything", want: decided{}},
		{
			name: "the remote is empty; main goes last, behind its evidence", there: func(there map[string]tree.Hash) { clear(there) },
			want: decided{Moves: []string{"pulls/MERGED", "pulls/OPEN", "proposal/OPEN", "main"}},
		},
		{
			name: "a dry run", there: func(there map[string]tree.Hash) { clear(there) }, with: pushing{o: Options{DryRun: true}},
			want: decided{Moves: []string{"pulls/MERGED", "pulls/OPEN", "proposal/OPEN", "main"}},
		},
		{
			name: "a merge that the remote lacks", there: func(there map[string]tree.Hash) {
				there[main], there[c.journal(c.merged)] = c.before(main), c.before(c.journal(c.merged))
			},
			want: decided{Moves: []string{"pulls/MERGED", "main"}},
		},
		{
			name: "one proposal alone takes main along only if it is merged", there: func(there map[string]tree.Hash) {
				there[main] = c.before(main)
				delete(there, c.journal(c.open))
				delete(there, c.branch(c.open))
			},
			with: pushing{o: Options{IDs: []string{c.open}}},
			want: decided{Moves: []string{"pulls/OPEN", "proposal/OPEN"}},
		},
		{
			name: "a merged one takes main along", there: func(there map[string]tree.Hash) {
				there[main] = c.before(main)
				delete(there, c.journal(c.merged))
			},
			with: pushing{o: Options{IDs: []string{c.merged}}},
			want: decided{Moves: []string{"pulls/MERGED", "main"}},
		},
		{
			name: "main there is of somebody else", there: func(there map[string]tree.Hash) {
				there[main] = stranger()
				delete(there, c.journal(c.merged))
			},
			want: decided{Behind: []string{"main"}, Held: []string{"main" + more}},
		},
		{
			name: "main there is ahead, and known here", there: func(there map[string]tree.Hash) { there[main] = c.beyond(main) },
			want: decided{},
		},
		{
			name: "main diverged: a journal that tells of the merge stays, too", there: func(there map[string]tree.Hash) {
				there[main] = c.beside(main)
				delete(there, c.journal(c.merged))
			},
			want: decided{Held: []string{"main: neither descends", unpublished}},
		},
		{
			name: "more events here", there: func(there map[string]tree.Hash) { there[c.journal(c.open)] = c.before(c.journal(c.open)) },
			want: decided{Moves: []string{"pulls/OPEN"}},
		},
		{
			name: "events there that are not known here", there: func(there map[string]tree.Hash) { there[c.journal(c.open)] = stranger() },
			want: decided{Behind: []string{"OPEN"}, Held: []string{"OPEN" + more}},
		},
		{
			name: "events here and there", there: func(there map[string]tree.Hash) { there[c.journal(c.open)] = c.beside(c.journal(c.open)) },
			want: decided{Behind: []string{"OPEN"}, Held: []string{"OPEN" + more}},
		},
		{
			name: "more events there, and known here", there: func(there map[string]tree.Hash) { there[c.journal(c.open)] = c.beyond(c.journal(c.open)) },
			want: decided{},
		},
		{
			name: "pulling does not help any more", there: func(there map[string]tree.Hash) { there[c.journal(c.open)] = stranger() },
			with: pushing{diverged: errors.New("both went on")},
			want: decided{Held: []string{"OPEN: the remote has more of it, and nothing can be pulled: both went on"}},
		},
		{
			name: "the branch there is at an older version", there: func(there map[string]tree.Hash) { there[c.branch(c.open)] = c.before(c.branch(c.open)) },
			want: decided{Moves: []string{"proposal/OPEN"}},
		},
		{
			name: "somebody pushed to the branch there", there: func(there map[string]tree.Hash) { there[c.branch(c.open)] = stranger() },
			want: decided{},
		},
		{
			name: "the branch of what is merged", there: func(there map[string]tree.Hash) { there[c.branch(c.merged)] = c.headOf(c.merged) },
			want: decided{Ended: []string{"proposal/MERGED"}},
		},
		{
			name: "somebody's own commits on the branch of what is merged", there: func(there map[string]tree.Hash) { there[c.branch(c.merged)] = stranger() },
			want: decided{},
		},
		{
			name: "journals that the remote folded, unseen by this clone", there: func(there map[string]tree.Hash) {
				there[local.ClosedPrefix+"2026"] = stranger()
				delete(there, c.journal(c.merged))
			},
			want: decided{Behind: []string{"closed/2026"}, Held: []string{"closed/2026" + more}},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c.T, c.there = t, maps.Clone(all)
			if tc.there != nil {
				tc.there(c.there)
			}
			got := c.decide(&tc.with)
			for i, want := range tc.want.Held {
				if i < len(got.Held) && strings.HasPrefix(want, "main: ") && strings.Contains(got.Held[i], strings.TrimPrefix(want, "main: ")) {
					got.Held[i] = want // it names two commits
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestPushLeavesBranchesToAService: if a service shows proposals, a push does not delete
// branches of ended ones.
func TestPushLeavesBranchesToAService(t *testing.T) {
	c := newClone(t)
	c.Forge = hosted.New(c.Repo, "origin", nil, nil)
	c.there[c.branch(c.merged)] = c.headOf(c.merged)
	if diff := cmp.Diff(decided{}, c.decide(&pushing{})); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// headOf returns the last version of a proposal.
func (c clone) headOf(id string) tree.Hash {
	c.Helper()
	pull, err := c.Forge.Get(c.Context(), id)
	c.OK(err)
	return pull.Head
}

// TestDecideKnowsWhatWasFetched: a fetched journal without local events after it need not
// be pulled before a push.
func TestDecideKnowsWhatWasFetched(t *testing.T) {
	c := newClone(t)
	at := c.there[c.journal(c.open)]
	c.there[c.journal(c.open)] = stranger()
	c.OK(c.Repo.Update(gitstore.RefUpdate{Name: remote.Tracking("origin", c.journal(c.open)), New: at, Any: true}))
	if diff := cmp.Diff(decided{}, c.decide(&pushing{})); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
