package stress_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sample is a repository with one proposal merged and one approved, and some work of plain git.
// Its ledger holds the acknowledged facts.
type sample struct {
	*place
	facts        []fact
	merged, open string // proposals
	history      history
}

// The checker accepts an intact repository, and names each thing that was removed from it.
func TestCheckerNames(t *testing.T) {
	whole := newSample(t)
	for _, tc := range []struct {
		name   string
		doctor func(t *testing.T, s *sample)
		want   string
	}{
		{"as it is", func(*testing.T, *sample) {}, ""},
		{"folded", fold, ""},
		{"a folded journal", func(t *testing.T, s *sample) { fold(t, s); s.git(t, "update-ref", "-d", folded+"2026") }, "lost-opened"},
		{"a review", dropReview, "lost-review"},
		{"a journal", func(t *testing.T, s *sample) { s.git(t, "update-ref", "-d", pulls+s.open) }, "lost-opened"},
		{"another journal", func(t *testing.T, s *sample) { s.git(t, "update-ref", pulls+s.open, pulls+s.merged) }, "journal"},
		{"the journal of a merge", func(t *testing.T, s *sample) { s.git(t, "update-ref", "-d", pulls+s.merged) }, "unannounced"},
		{"the record of a merge", func(t *testing.T, s *sample) { s.cut(t, s.merged, "merged") }, "lost-merged"},
		{"a merge", func(t *testing.T, s *sample) { s.git(t, "update-ref", "refs/heads/main", "main^") }, "lost-merged"},
		{"a merge, twice", mergeTwice, "merged-twice"},
		{"past the gate", func(t *testing.T, s *sample) {
			s.git(t, "update-ref", "refs/heads/main", s.commit(t, "main^{tree}", []string{"main"}, "a quick fix"))
		}, "unannounced"},
		{"a number left out", func(t *testing.T, s *sample) { s.renumber(t, +1) }, "sequence"},
		{"a number twice", func(t *testing.T, s *sample) { s.renumber(t, -1) }, "sequence"},
		{"a merge without its content", func(t *testing.T, s *sample) { s.remerge(t, "main^^{tree}") }, "content"},
		{"a merge with more than its content", func(t *testing.T, s *sample) { s.remerge(t, s.withStray(t)) }, "stray"},
		{"a head", loseHead, "lost-pushed"},
		{"an empty ref", func(t *testing.T, s *sample) { s.overwrite(t, "refs/heads/side/own", "") }, "refs"},
		{"half a ref", func(t *testing.T, s *sample) { s.overwrite(t, "refs/heads/side/own", "0123456789abcdef\n") }, "refs"},
		{"packed refs", func(t *testing.T, s *sample) { s.overwrite(t, "packed-refs", "0123 refs/heads/x\n") }, "refs"},
		{"an object", loseObject, "fsck"},
		{"an update", func(t *testing.T, s *sample) { s.git(t, "update-ref", "refs/heads/side/own", "main^") }, "lost-moved"},
		{"a ref", func(t *testing.T, s *sample) { s.git(t, "update-ref", "-d", "refs/heads/side/own") }, "lost-moved"},
		{"a commit", func(t *testing.T, s *sample) { s.git(t, "update-ref", "refs/heads/side/linked", "main^") }, "lost-committed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := whole.copy(t)
			tc.doctor(t, s)
			_, found, err := newChecker(s.place).check(s.facts)
			must(t, err)
			named := slices.ContainsFunc(found, func(f finding) bool { return f.rule == tc.want })
			if tc.want == "" && len(found) > 0 || tc.want != "" && !named {
				t.Errorf("found %v, want %q", found, tc.want)
			}
		})
	}
}

func newSample(t *testing.T) *sample {
	t.Helper()
	p := newPlace(t, 1)
	c := &campaign{T: t, place: p, checker: newChecker(p), tally: newTally(), actor: actor{p, dice(1, 1)}}
	x, err := c.actor.proposal("skill-00000001")
	must(t, err)
	c.life(x)
	s := &sample{place: p, merged: c.last()}
	x, err = c.actor.proposal("skill-00000002")
	must(t, err)
	c.succeed(x)
	s.open = c.last()
	c.succeed(c.actor.about("review", s.open))
	for _, branch := range []string{"own", "linked"} {
		at := s.commit(t, "main^{tree}", []string{"main"}, "side")
		s.git(t, "update-ref", "refs/heads/side/"+branch, at)
		kind := map[string]string{"own": "moved", "linked": "committed"}[branch]
		c.ledger.add(fact{kind: kind, on: "refs/heads/side/" + branch, new: at})
	}
	s.history, s.facts = c.verify(nil), c.ledger.all()
	return s
}

func (s *sample) copy(t *testing.T) *sample {
	t.Helper()
	p := *s.place
	p.dir = filepath.Join(t.TempDir(), "ws")
	must(t, os.CopyFS(p.dir, os.DirFS(s.dir)))
	c := *s
	c.place = &p
	return &c
}

func (s *sample) git(t *testing.T, args ...string) string {
	t.Helper()
	return strings.TrimSpace(s.must(t, git(args...)))
}

// commit makes a commit with exactly this message.
func (s *sample) commit(t *testing.T, tree string, parents []string, message string) string {
	t.Helper()
	c := git("commit-tree", tree, "-F", "-")
	for _, p := range parents {
		c.args = append(c.args, "-p", p)
	}
	c.input = message
	return strings.TrimSpace(s.must(t, c))
}

func (s *sample) overwrite(t *testing.T, file, content string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(s.dir, ".git", filepath.FromSlash(file)), []byte(content), 0o666))
}

// cut ends a journal before its last event of a kind.
func (s *sample) cut(t *testing.T, id, kind string) {
	t.Helper()
	last := s.history.journals[id].of(kind)
	s.git(t, "update-ref", pulls+id, last[len(last)-1].parents[0])
}

// fold leaves the journals reachable only from a line of closed ones.
func fold(t *testing.T, s *sample) {
	var tips []string
	for _, id := range []string{s.merged, s.open} {
		tips = append(tips, s.git(t, "rev-parse", pulls+id))
		s.git(t, "update-ref", "-d", pulls+id)
	}
	const trailer = "\n\nAssent-Fold: 1\n"
	first := s.commit(t, "main^{tree}", tips[:1], "Fold 1 journals"+trailer)
	s.git(t, "update-ref", folded+"2026", s.commit(t, "main^{tree}", []string{first, tips[1]}, "Fold 1 journals"+trailer))
}

func dropReview(t *testing.T, s *sample) { s.cut(t, s.open, "review") }

func mergeTwice(t *testing.T, s *sample) {
	m := s.history.merge(s.merged)
	s.git(t, "update-ref", "refs/heads/main", s.commit(t, m.tree, []string{"main", m.parents[1]}, m.message))
}

// renumber gives the last event of a journal another number.
func (s *sample) renumber(t *testing.T, by int) {
	t.Helper()
	j := s.history.journals[s.open]
	last := j[len(j)-1]
	at := func(n int) string { return fmt.Sprintf("Assent-Sequence: %d", n) }
	s.git(t, "update-ref", pulls+s.open,
		s.commit(t, last.tree, last.parents, strings.Replace(last.message, at(last.sequence), at(last.sequence+by), 1)))
}

// remerge replaces the merge by one with another tree, and its journal to match.
func (s *sample) remerge(t *testing.T, tree string) {
	t.Helper()
	tree = s.git(t, "rev-parse", tree)
	m := s.history.merge(s.merged)
	other := s.commit(t, tree, m.parents, m.message)
	s.git(t, "update-ref", "refs/heads/main", other)
	tip := ""
	for _, e := range s.history.journals[s.merged] {
		parents := e.parents
		if tip != "" {
			parents = append([]string{tip}, parents[1:]...)
		}
		tip = s.commit(t, e.tree, parents, strings.NewReplacer(m.hash, other, m.tree, tree).Replace(e.message))
	}
	s.git(t, "update-ref", pulls+s.merged, tip)
}

// withStray returns main's tree with an additional file.
func (s *sample) withStray(t *testing.T) string {
	t.Helper()
	blob := s.git(t, "hash-object", "-w", "--stdin")
	s.git(t, "read-tree", "main")
	s.git(t, "update-index", "--add", "--cacheinfo", "100644,"+blob+",skills/stray.md")
	return s.git(t, "write-tree")
}

// loseHead makes the journal claim that the proposal never differed from main.
func loseHead(t *testing.T, s *sample) {
	main := s.git(t, "rev-parse", "main")
	tip := ""
	for _, e := range s.history.journals[s.open] {
		parents := e.parents
		if tip != "" {
			parents = append([]string{tip}, parents[1:]...)
		}
		tip = s.commit(t, e.tree, parents, strings.ReplaceAll(e.message, e.trailer("Head"), main))
	}
	s.git(t, "update-ref", pulls+s.open, tip)
}

// loseObject removes the blob of a skill.
func loseObject(t *testing.T, s *sample) {
	blob := s.git(t, "rev-parse", "main:skills/skill-00000001/SKILL.md")
	packs, err := filepath.Glob(filepath.Join(s.dir, ".git", "objects", "pack", "*.pack"))
	must(t, err)
	for i, pack := range packs {
		data, err := os.ReadFile(pack)
		must(t, err)
		for _, path := range []string{pack, strings.TrimSuffix(pack, ".pack") + ".idx"} {
			must(t, os.Remove(path))
		}
		c := git("unpack-objects", "-q")
		c.input = string(data)
		s.must(t, c)
		packs[i] = ""
	}
	must(t, os.Remove(filepath.Join(s.dir, ".git", "objects", blob[:2], blob[2:])))
}
