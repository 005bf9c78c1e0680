package engine_test

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/proposal"
)

// The proposals on record read back as written, and name files that exist.
func TestInstanceProposals(t *testing.T) {
	v := instance(t)
	seen := 0
	err := tree.Files(v, string(names.ProposalsArea), func(e tree.Entry) error {
		src, err := v.Read(e.Path)
		if err != nil {
			return err
		}
		seen++
		p, ds := proposal.Parse(e.Path, src)
		clean(t, ds, nil)
		if p.ID != strings.TrimSuffix(path.Base(e.Path), ".md") {
			t.Errorf("%s: has the id %s", e.Path, p.ID)
		}
		if _, _, ok := names.ParseProposalID(p.ID); !ok {
			t.Errorf("%s: the engine makes no id like %s", e.Path, p.ID)
		}
		if formatted, err := proposal.Format(p); err != nil || string(formatted) != string(src) {
			t.Errorf("%s: the engine writes it differently (%v):\n%s", e.Path, err, formatted)
		}
		if !slices.IsSorted(p.Files) {
			t.Errorf("%s: files are not sorted", e.Path)
		}
		for _, file := range p.Files {
			if there, err := tree.Exists(v, file); err != nil || !there {
				t.Errorf("%s: lists %s, which is not there (%v)", e.Path, file, err)
			}
		}
		return nil
	})
	clean(t, nil, err)
	if seen == 0 {
		t.Error("no proposal is on record")
	}
}

// The draft that propose-capability hands out is one that can be proposed.
func TestInstanceDraft(t *testing.T) {
	const file = "skills/writing/propose-capability/references/draft.md"
	src, err := instance(t).Read(file)
	clean(t, nil, err)
	_, ds := proposal.ParseDraft(file, src)
	clean(t, ds, nil)
}
