package attest_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// line is a repository whose main a test writes commit by commit.
type line struct {
	*testing.T
	repo   *gitstore.Repo
	tip    tree.Hash
	clock  time.Time
	judged []string // subjects, in order
	// allow are the subjects that the judge of these tests accepts; fail are its failures.
	allow map[string]bool
	fail  map[string]error
}

func newLine(t *testing.T) *line {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	repo, err := gitstore.Init(t.TempDir())
	l := &line{T: t, repo: repo, clock: time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC), allow: map[string]bool{}, fail: map[string]error{}}
	l.ok(err)
	return l
}

func (l *line) ok(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

// edit is a change of one file; no content removes it.
func edit(path, content string) tree.Edit {
	return tree.Edit{Path: path, Content: []byte(content), Remove: content == ""}
}

// commit adds a commit to main.
func (l *line) commit(message string, edits ...tree.Edit) tree.Hash {
	l.Helper()
	h := l.write(l.tip, message, edits...)
	l.move(h)
	return h
}

func (l *line) write(parent tree.Hash, message string, edits ...tree.Edit) tree.Hash {
	l.Helper()
	c := gitstore.Commit{Message: message + "\n"}
	var top tree.Hash
	if !parent.IsZero() {
		p, err := l.repo.Commit(parent)
		l.ok(err)
		top, c.Parents = p.Tree, []tree.Hash{parent}
	}
	var err error
	c.Tree, err = l.repo.WriteTree(top, edits)
	l.ok(err)
	l.clock = l.clock.Add(time.Minute)
	c.Author = gitstore.Person{Name: "Mallory", Email: "mallory@example.org", When: l.clock}
	c.Committer = c.Author
	h, err := l.repo.WriteCommit(c, nil)
	l.ok(err)
	return h
}

func (l *line) move(to tree.Hash) {
	l.Helper()
	l.ok(l.repo.Update(gitstore.RefUpdate{Name: attest.MainRef, New: to, Any: true}))
	l.tip = to
}

func (l *line) genesis() tree.Hash {
	l.Helper()
	return l.commit("Begin\n\nAssent-Genesis: 1", edit("policies/roles.yaml", "people: {}"), edit("README.md", "# w"))
}

func (l *line) observe(seen attest.Seen) (attest.Standing, error) {
	l.judged = nil
	return attest.Observe(l.Context(), l.repo, seen, attest.Judges{Merge: func(_ context.Context, before attest.Standing, c gitstore.Commit) error {
		l.judged = append(l.judged, c.Subject())
		switch {
		case l.fail[c.Subject()] != nil:
			return l.fail[c.Subject()]
		case l.allow[c.Subject()]:
			return nil
		}
		return attest.Refuse("after %s it was not allowed", before.InForce.Short())
	}})
}

// standing observes without memory and from an earlier standing: both must agree.
func (l *line) standing() attest.Standing {
	l.Helper()
	st, err := l.observe(attest.Seen{})
	l.ok(err)
	judged := l.judged
	again, err := l.observe(attest.Seen{Genesis: st.Genesis, InForce: st.InForce, Judged: st.Judged})
	l.ok(err)
	if diff := cmp.Diff(st, again); diff != "" {
		l.Errorf("remembering changes what is in force\n%s", diff)
	}
	l.judged = judged
	return st
}

func (l *line) inForce(want tree.Hash, blocked ...string) attest.Standing {
	l.Helper()
	st := l.standing()
	if st.InForce != want || st.Main != l.tip {
		l.Errorf("in force %s, main %s; want %s and %s", st.InForce.Short(), st.Main.Short(), want.Short(), l.tip.Short())
	}
	var got []string
	for _, b := range st.Blocked {
		got = append(got, b.Subject)
	}
	if diff := cmp.Diff(blocked, got); diff != "" {
		l.Errorf("blocked (-want +got)\n%s", diff)
	}
	return st
}

func TestObserveTransparent(t *testing.T) {
	l := newLine(t)
	g := l.genesis()
	if st := l.inForce(g); st.Genesis != g {
		t.Errorf("genesis %s, want %s", st.Genesis.Short(), g.Short())
	}
	l.commit("Document", edit("docs/x.md", "x"))
	tip := l.commit("Code", edit("main.go", "package main"), edit("soulful/x", "no governed folder"))
	l.inForce(tip)
	if l.judged != nil {
		t.Errorf("judged %v; what changes no governed folder needs no judge", l.judged)
	}
}

func TestObserveMerges(t *testing.T) {
	l := newLine(t)
	l.genesis()
	l.allow["Merge a"], l.allow["Merge b"] = true, true
	l.commit("Merge a", edit("skills/a/SKILL.md", "a"))
	l.commit("Between", edit("docs/x.md", "x"))
	tip := l.commit("Merge b", edit("soul/kublai/SOUL.md", "b"))
	l.inForce(tip)
	if diff := cmp.Diff([]string{"Merge a", "Merge b"}, l.judged); diff != "" {
		t.Error(diff)
	}
	l.allow["Merge a"] = false // remembered is remembered: it is not judged again
	st, err := l.observe(attest.Seen{Genesis: tip, InForce: tip})
	if err != nil || st.InForce != tip || l.judged != nil {
		t.Errorf("%v, %v, judged %v", st, err, l.judged)
	}
}

func TestObserveBlocks(t *testing.T) {
	l := newLine(t)
	g := l.genesis()
	bad := l.commit("Sneak\n\nnot looked at", edit("skills/evil/SKILL.md", "x"), edit("docs/y.md", "y"))
	l.commit("Innocent", edit("docs/x.md", "x"))
	l.commit("Sneak again", edit("policies/roles.yaml", "people: {mallory: {}}"))
	st := l.inForce(g, "Sneak", "Sneak again")
	want := attest.Unattested{Commit: bad, Subject: "Sneak", Author: "Mallory <mallory@example.org>",
		Paths: []string{"skills/evil/SKILL.md"}, Why: "after " + g.Short() + " it was not allowed"}
	if diff := cmp.Diff(want, st.Blocked[0]); diff != "" {
		t.Error(diff)
	}
	l.allow["Merge fine"] = true // the judge sees the standing before it, and may accept
	tip := l.commit("Merge fine", edit("skills/fine/SKILL.md", "f"))
	l.inForce(tip)
}

// Taking an unattested commit back, by revert or by an edit, heals.
func TestObserveHeals(t *testing.T) {
	l := newLine(t)
	g := l.genesis()
	l.commit("Sneak", edit("skills/evil/SKILL.md", "x"))
	l.inForce(g, "Sneak")
	healed := l.commit(`Revert "Sneak"`, edit("skills/evil/SKILL.md", ""))
	l.inForce(healed)
	l.commit("Loosen", edit("policies/roles.yaml", "people: {eve: {}}"))
	l.commit("Half", edit("policies/roles.yaml", "people: {e: {}}"))
	l.inForce(healed, "Loosen", "Half")
	tip := l.commit("Back", edit("policies/roles.yaml", "people: {}"))
	l.inForce(tip)
	l.allow["Merge a"] = true
	l.inForce(l.commit("Merge a", edit("skills/a/SKILL.md", "a")))
}

// A merge commit on main is judged by its change to main, whatever its second parent did.
func TestObserveFollowsFirstParents(t *testing.T) {
	l := newLine(t)
	g := l.genesis()
	side := l.write(g, "On a branch", edit("skills/side/SKILL.md", "x"))
	c, err := l.repo.Commit(side)
	l.ok(err)
	c.Parents, c.Message = []tree.Hash{g, side}, "Merge by hand\n"
	h, err := l.repo.WriteCommit(c, nil)
	l.ok(err)
	l.move(h)
	l.inForce(g, "Merge by hand")
	if diff := cmp.Diff([]string{"Merge by hand"}, l.judged); diff != "" {
		t.Error(diff)
	}
	// The same tree with the parents exchanged: main's line is the branch now.
	c.Parents = []tree.Hash{side, g}
	h, err = l.repo.WriteCommit(c, nil)
	l.ok(err)
	l.move(h)
	l.inForce(g, "On a branch")
}

func TestObserveTrailerAloneIsNamed(t *testing.T) {
	l := newLine(t)
	g := l.genesis()
	l.commit("Sneak", edit("skills/evil/SKILL.md", "x"))
	l.commit("Merge nothing\n\nAssent-Proposal: x-00000000", edit("docs/x.md", "x"))
	l.inForce(g, "Sneak", "Merge nothing")
}

func TestObserveNothingToStandOn(t *testing.T) {
	l := newLine(t)
	if _, err := l.observe(attest.Seen{}); !errors.Is(err, attest.ErrNoMain) {
		t.Errorf("no main: %v", err)
	}
	l.commit("First", edit("skills/a/SKILL.md", "a"))
	l.commit("Second", edit("README.md", "Assent-Genesis: 1 in a file does not count"))
	l.commit("Assent-Genesis: 1") // nor does it as a subject
	if _, err := l.observe(attest.Seen{}); !errors.Is(err, attest.ErrNoGenesis) {
		t.Errorf("no genesis: %v", err)
	}
	if l.judged != nil {
		t.Errorf("judged %v", l.judged)
	}
}

// A refused merge that a listed key announced is not cleared by taking it back, only by a
// merge that passes.
func TestObserveBreaks(t *testing.T) {
	l := newLine(t)
	g := l.genesis()
	l.fail["Merge a"] = &attest.Refusal{Reason: "damaged", Break: true, Proposal: "a-00000000", AnnouncedBy: "ada"}
	a := l.commit("Merge a", edit("skills/a/SKILL.md", "a"))
	st := l.inForce(g, "Merge a")
	if b := st.Break(); b == nil || b.Commit != a || b.AnnouncedBy != "ada" || b.Proposal != "a-00000000" || b.ToResolve == "" {
		t.Errorf("the break is %+v", b)
	}
	l.commit(`Revert "Merge a"`, edit("skills/a/SKILL.md", ""))
	l.inForce(g, "Merge a", `Revert "Merge a"`)
	l.commit("Document", edit("docs/x.md", "x"))
	l.inForce(g, "Merge a", `Revert "Merge a"`)
	l.allow["Merge b"] = true
	tip := l.commit("Merge b", edit("skills/b/SKILL.md", "b"))
	if st := l.inForce(tip); st.Break() != nil {
		t.Errorf("the break is %+v", st.Break())
	}
}

// Content older than genesis is in force with it, and a second commit that calls itself genesis is
// like any other.
func TestObserveGenesisIsTheFirst(t *testing.T) {
	l := newLine(t)
	l.commit("Before", edit("skills/old/SKILL.md", "old"))
	g := l.genesis()
	l.inForce(g)
	l.commit("Begin again\n\nAssent-Genesis: 1", edit("policies/roles.yaml", "people: {mallory: {}}"))
	if st := l.inForce(g, "Begin again"); st.Genesis != g {
		t.Errorf("genesis %s, want %s", st.Genesis.Short(), g.Short())
	}
}

func TestObserveRollback(t *testing.T) {
	l := newLine(t)
	g := l.genesis()
	l.allow["Merge a"] = true
	top := l.commit("Merge a", edit("skills/a/SKILL.md", "a"))
	seen := attest.Seen{Genesis: g, InForce: top}
	for name, to := range map[string]tree.Hash{
		"back":        g,
		"forked":      l.write(g, "Merge a", edit("skills/b/SKILL.md", "b")),
		"another one": l.write(tree.Hash{}, "Begin\n\nAssent-Genesis: 1", edit("skills/c/SKILL.md", "c")),
		"same files":  l.write(g, "Merge a", edit("skills/a/SKILL.md", "a"), edit("x", "x")),
	} {
		l.move(to)
		_, err := l.observe(seen)
		if !errors.Is(err, attest.ErrRollback) || !strings.Contains(err.Error(), top.Short()) || !strings.Contains(err.Error(), to.Short()) {
			t.Errorf("%s: %v; want ErrRollback that names both commits", name, err)
		}
	}
	l.move(top)
	if st, err := l.observe(seen); err != nil || st.InForce != top {
		t.Errorf("put back: %v, %v", st, err)
	}
}

// A judge that cannot find out is no judge that refuses: nothing is answered.
func TestObserveFailures(t *testing.T) {
	l := newLine(t)
	g := l.genesis()
	l.commit("Merge a", edit("skills/a/SKILL.md", "a"))
	broken := errors.New("the disk is on fire")
	l.fail["Merge a"] = broken
	if st, err := l.observe(attest.Seen{}); !errors.Is(err, broken) || !st.InForce.IsZero() {
		t.Errorf("%v, %v", st, err)
	}
	l.fail["Merge a"] = errors.Join(errors.New("while judging"), attest.Refuse("no"))
	l.inForce(g, "Merge a")
	ctx, cancel := context.WithCancel(t.Context())
	_, err := attest.Observe(ctx, l.repo, attest.Seen{}, attest.Judges{Merge: func(context.Context, attest.Standing, gitstore.Commit) error {
		cancel()
		return attest.Refuse("whatever")
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

func TestAttestationRoundTrip(t *testing.T) {
	a := attest.Attestation{V: attest.Version, Proposal: "x-00000000", From: tree.Hash{1}, Base: tree.Hash{2}, Head: tree.Hash{3},
		Tree: tree.Hash{4}, Effective: "sha256:e", Report: "sha256:r", Engine: "0.1", At: time.Date(2026, 3, 10, 9, 0, 0, 7, time.UTC)}
	data, err := a.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := attest.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(a, got); diff != "" {
		t.Error(diff)
	}
	for name, bad := range map[string]string{
		"newer": strings.Replace(string(data), `"v": 1`, `"v": 2`, 1), "no version": "{}", "no JSON": "allowed", "empty": "",
		"bad hash": strings.Replace(string(data), a.From.String(), "main", 1),
	} {
		if _, err := attest.Decode([]byte(bad)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
