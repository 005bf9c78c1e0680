package stress_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// finding is a broken promise: its rule and its place.
type finding struct{ rule, text string }

func (f finding) String() string { return f.rule + ": " + f.text }

// checker decides whether a repository holds every acknowledged fact. It caches results about
// commits, which never change.
type checker struct {
	place *place
	// judged are the commits of main whose content is known to be right.
	judged map[string]bool
}

func newChecker(p *place) *checker { return &checker{place: p, judged: map[string]bool{}} }

// check compares a repository that no process writes to with the acknowledged facts. It returns an
// error if git cannot be run.
func (c *checker) check(facts []fact) (history, []finding, error) {
	found, err := c.files()
	if err != nil {
		return history{}, nil, err
	}
	if out, err := c.place.ask("fsck", "--strict", "--no-dangling", "--no-progress"); err != nil {
		found = append(found, finding{"fsck", out + err.Error()})
	}
	r, err := c.place.reader()
	if err != nil {
		return history{}, nil, err
	}
	h, err := c.place.recall(r)
	if err != nil {
		return h, append(found, finding{"refs", err.Error()}), r.close()
	}
	found = append(found, h.faults...)
	more, err := c.line(r, h)
	found = append(found, more...)
	for _, f := range facts {
		lost, ferr := c.lost(r, h, facts, f)
		found, err = append(found, lost...), errors.Join(err, ferr)
	}
	return h, found, errors.Join(err, r.close())
}

var (
	looseRef  = regexp.MustCompile(`\A(?:[0-9a-f]{40}|ref: refs/\S+)\n\z`)
	packedRef = regexp.MustCompile(`\A(?:# pack-refs with:.*|[0-9a-f]{40} refs/\S+|\^[0-9a-f]{40})\z`)
)

// files checks the bytes of refs, because git ignores empty ones.
func (c *checker) files() ([]finding, error) {
	common, err := c.place.common()
	if err != nil {
		return nil, err
	}
	var found []finding
	err = filepath.WalkDir(filepath.Join(common, "refs"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) == ".lock" {
			return err
		}
		data, err := os.ReadFile(path)
		if !looseRef.Match(data) {
			found = append(found, finding{"refs", fmt.Sprintf("%s holds %q", path, data)})
		}
		return err
	})
	packed, perr := os.ReadFile(filepath.Join(common, "packed-refs"))
	if perr != nil {
		return found, err
	}
	for line := range strings.Lines(string(packed)) {
		if !packedRef.MatchString(strings.TrimSuffix(line, "\n")) {
			found = append(found, finding{"refs", fmt.Sprintf("packed-refs holds %q", line)})
		}
	}
	return found, err
}

// line judges main's first-parent line: each commit after the first merges a proposal that its
// journal announced. It merges it once, and changes the same files as the proposal.
func (c *checker) line(r *reader, h history) ([]finding, error) {
	var found []finding
	times := map[string]int{}
	for i, m := range h.main {
		if i == 0 {
			continue
		}
		id := m.trailer("Assent-Proposal")
		if times[id]++; id != "" && times[id] > 1 {
			found = append(found, finding{"merged-twice", fmt.Sprintf("%s, again by %s", id, m.hash)})
		}
		announced := slices.ContainsFunc(h.journals[id].of("merging"), func(e event) bool {
			return e.trailer("Commit") == m.hash && e.trailer("Tree") == m.tree &&
				slices.Equal(m.parents, []string{e.trailer("Base-Commit"), e.trailer("Head")})
		})
		if !announced {
			found = append(found, finding{"unannounced", fmt.Sprintf("main's %s (%q) is in no journal with these parents and this tree", m.hash, id)})
			continue
		}
		if c.judged[m.hash] {
			continue
		}
		more, err := c.content(r, m)
		if err != nil {
			return found, err
		}
		found = append(found, more...)
		c.judged[m.hash] = len(more) == 0
	}
	return found, nil
}

// content compares the changes of a merge with those of its proposal. The engine may also change
// the lists of learned capabilities.
func (c *checker) content(r *reader, m commit) ([]finding, error) {
	base, err := c.place.ask("merge-base", m.parents[0], m.parents[1])
	if err != nil {
		return nil, err
	}
	proposed, err := c.changed(strings.TrimSpace(base), m.parents[1])
	if err != nil {
		return nil, err
	}
	merged, err := c.changed(m.parents[0], m.hash)
	if err != nil {
		return nil, err
	}
	var found []finding
	for _, path := range merged {
		if !slices.Contains(proposed, path) && !strings.HasPrefix(path, "soul/") {
			found = append(found, finding{"stray", fmt.Sprintf("%s changes %s, which its proposal does not", m.hash, path)})
		}
	}
	for _, path := range proposed {
		if strings.HasPrefix(path, "soul/") {
			continue
		}
		want, err := r.read(m.parents[1] + ":" + path)
		if err != nil {
			return found, err
		}
		got, err := r.read(m.hash + ":" + path)
		if err != nil {
			return found, err
		}
		if got.hash != want.hash {
			found = append(found, finding{"content", fmt.Sprintf("%s does not bring %s of its proposal", m.hash, path)})
		}
	}
	return found, nil
}

func (c *checker) changed(from, to string) ([]string, error) {
	out, err := c.place.ask("diff-tree", "-r", "-z", "--name-only", from, to)
	return strings.FieldsFunc(out, func(r rune) bool { return r == 0 }), err
}

// lost returns a finding if the repository lacks an acknowledged fact.
func (c *checker) lost(r *reader, h history, facts []fact, f fact) ([]finding, error) {
	j, known := h.journals[f.on]
	lost := func(format string, args ...any) []finding {
		return []finding{{"lost-" + f.kind, f.on + ": " + fmt.Sprintf(format, args...)}}
	}
	switch f.kind {
	case "moved":
		return c.superseded(h, facts, f), nil
	case "committed":
		all, err := line(r, h.refs[f.on])
		if err == nil && !slices.ContainsFunc(all, func(at commit) bool { return at.hash == f.new }) {
			return lost("commit %s is not on its line", f.new), nil
		}
		return nil, err
	case "pushed":
		for _, e := range slices.Concat(j.of("opened"), j.of("pushed")) {
			at, err := r.read(e.trailer("Head") + ":" + f.file)
			if err != nil || at.hash == f.blob {
				return nil, err
			}
		}
		return lost("no head has %s as %s", f.blob, f.file), nil
	case "merged":
		return c.unmerged(r, h, f)
	}
	if !known || !j.says(f.kind, f.text) {
		return lost("no %s event with %q", f.kind, f.text), nil
	}
	return nil, nil
}

// unmerged finds an acknowledged merge that main or the journal lacks.
func (c *checker) unmerged(r *reader, h history, f fact) ([]finding, error) {
	lost := func(what string) []finding { return []finding{{"lost-merged", f.on + ": " + f.new + " " + what}} }
	on := slices.DeleteFunc(slices.Clone(h.main), func(m commit) bool { return m.hash != f.new })
	if len(on) != 1 {
		return lost(fmt.Sprintf("is %d times on main", len(on))), nil
	}
	if on[0].trailer("Assent-Proposal") != f.on {
		return lost("is another proposal's"), nil
	}
	if !slices.ContainsFunc(h.journals[f.on].of("merged"), func(e event) bool { return e.trailer("Commit") == f.new }) {
		return lost("is not recorded as merged"), nil
	}
	if f.file == "" {
		return nil, nil
	}
	at, err := r.read(f.new + ":" + f.file)
	if err == nil && at.hash != f.blob {
		return lost(fmt.Sprintf("has %q as %s, not %s", at.hash, f.file, f.blob)), nil
	}
	return nil, err
}

// superseded accepts an acknowledged move of a ref if the ref is still there, if another
// acknowledged move continued from it, or if a proposal's journal recorded it as a head.
func (c *checker) superseded(h history, facts []fact, f fact) []finding {
	if h.refs[f.on] == f.new {
		return nil
	}
	for _, other := range facts {
		if other.kind == "moved" && other.on == f.on && other.old == f.new {
			return nil
		}
	}
	if id, ok := strings.CutPrefix(f.on, "refs/heads/proposal/"); ok {
		for _, e := range h.journals[id] {
			if e.trailer("Head") == f.new {
				return nil
			}
		}
	}
	return []finding{{"lost-moved", fmt.Sprintf("%s: was moved to %s, is at %q, and nobody moved it on", f.on, f.new, h.refs[f.on])}}
}
