package workspace

import (
	"errors"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/duplicate"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/registry/index"
)

// content is the text a change adds and removes, without the proposal's own file.
type content struct {
	comes, goes duplicate.Passage
	// adds are the names of added capabilities.
	adds []string
}

// named reports whether two changes add capabilities of one name.
func (c content) named(o content) bool {
	return slices.ContainsFunc(c.adds, func(a string) bool {
		return slices.ContainsFunc(o.adds, func(b string) bool { return index.SameName(a, b) })
	})
}

func (c content) like(o content) bool {
	if c.comes.Empty() && o.comes.Empty() {
		return !c.goes.Empty() && c.goes.Like(o.goes)
	}
	return c.comes.Like(o.comes)
}

// maxTaken bounds how often beginning goes on behind commits that main took from a branch.
const maxTaken = 16

// beginning returns the commit that a reviewed change began at. It is the merge base with main, unless
// main took in a part of the branch since, or all of it, past the gate or by another proposal. So the
// change from it to the head is the one that the review names. A review without a digest names none,
// and costs no search.
func beginning(s Session, rv policy.Review) (tree.Hash, error) {
	first, err := s.Repo.MergeBase(s.Main, rv.Head)
	tip, base := s.Main, first
	//defence:taken-content-is-compared
	for n := 0; n < maxTaken && err == nil && !base.IsZero() && rv.Effective != ""; n++ {
		if is, err := changes(s, base, rv); is || err != nil {
			return base, err
		}
		c, err := s.History().firstWith(s.Genesis, tip, base)
		if err != nil {
			return tree.Hash{}, err
		}
		if c.Hash == s.Genesis || len(c.Parents) == 0 {
			break
		}
		tip = c.Parents[0]
		if base, err = s.Repo.MergeBase(tip, rv.Head); err != nil {
			return tree.Hash{}, err
		}
	}
	if err == nil && first.IsZero() {
		err = ErrUnrelated
	}
	return first, err
}

// changes reports whether the change from a base to a review's head is the one that it names.
func changes(s Session, base tree.Hash, rv policy.Review) (bool, error) {
	e, err := effectOf(s, base, rv.Head, rv.At)
	return err == nil && (rv.Effective == e.Digest || rv.Effective == e.Plain), err
}

// contentOf reads what the commits from a base up to a head change. Where capabilities change, the
// entries in SOUL.md files that the engine writes for them are left out.
func contentOf(s Session, base, head tree.Hash) (content, error) {
	before, err := s.Repo.Snapshot(base)
	if err != nil {
		return content{}, err
	}
	after, err := s.Repo.Snapshot(head)
	if err != nil {
		return content{}, err
	}
	var comes, goes strings.Builder
	var adds []string
	for _, area := range []names.AreaName{names.SkillsArea, names.PoliciesArea, names.WorkflowsArea, names.SoulArea} {
		if area == names.SoulArea && comes.Len()+goes.Len() > 0 {
			break
		}
		changes, err := tree.Diff(before, after, string(area))
		if err != nil && !errors.Is(err, tree.ErrTooLarge) {
			return content{}, err
		}
		for _, c := range changes {
			was, is := textOf(before, c.Old), textOf(after, c.New)
			missing(&comes, is, was)
			missing(&goes, was, is)
			adds = appendAdded(adds, c)
		}
	}
	return content{duplicate.PassageOf(comes.String()), duplicate.PassageOf(goes.String()), adds}, nil
}

// maxPassage bounds the compared text of a change, in bytes.
const maxPassage = 256 << 10

// textOf reads a file; for anything else, or on failure, it returns the object's hash.
func textOf(v tree.View, e tree.Entry) string {
	switch {
	case e.Path == "":
		return ""
	case !e.Mode.IsFile():
		return e.Hash.String()
	}
	data, err := v.Read(e.Path)
	if err != nil {
		return e.Hash.String()
	}
	return string(data)
}

// missing writes the lines of a that b has not.
func missing(out *strings.Builder, a, b string) {
	have := map[string]bool{}
	for line := range strings.Lines(b) {
		have[strings.TrimSpace(line)] = true
	}
	for line := range strings.Lines(a) {
		if line = strings.TrimSpace(line); line != "" && !have[line] && out.Len() < maxPassage {
			out.WriteString(line + "\n")
		}
	}
}
