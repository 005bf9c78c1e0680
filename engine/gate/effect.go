package gate

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/learn"
	"github.com/assent-dev/assent/engine/format/proposal"
)

// Effect identifies a change by three digests of different strictness: Digest, Settled and
// Plain. All three are equal if every engine-owned region holds exactly the bytes that the
// engine writes, which is the normal case.
//
// The invariant: two changes to one base with the same Digest give the same bytes.
type Effect struct {
	// Digest binds every byte. Reviews name it.
	Digest string
	// Settled leaves out what may differ without an edit: the day of an entry, blank lines,
	// and an entry that is not written yet. The engine may change them later, and older
	// engines wrote them in another way.
	Settled string
	// Plain is the digest that engines up to 0.4.0 computed. It leaves out engine-owned
	// regions, whatever they contain.
	Plain string
	// Unwritten is the Digest that the change had before the engine wrote its entries. It is
	// empty if the engine wrote none, or if any region deviates. An approval of Unwritten
	// counts for this change: the engine's additions follow from it.
	Unwritten string
	// lines and deviations are the input of the digests.
	lines, deviations Footprint
}

// EffectOf compares two views. until is the newest day that a learned entry may bear.
func EffectOf(base, head tree.View, until time.Time, dirs ...string) (Effect, error) {
	lines, err := FootprintOf(base, head, dirs...)
	if err != nil {
		return Effect{}, err
	}
	e := Effect{lines: lines, Plain: lines.Digest()}
	r, err := regionsOf(base, head, until, dirs)
	if err != nil {
		return Effect{}, fmt.Errorf("engine-owned regions: %w", err)
	}
	e.deviations = slices.Concat(r.foreign, r.form)
	e.Settled = slices.Concat(lines, r.foreign).Digest()
	//defence:engine-owned-bytes-are-bound
	e.Digest = slices.Concat(lines, e.deviations).Digest()
	if len(r.unwritten) == 0 {
		return e, nil
	}
	//defence:only-the-engine-writes-after-an-approval
	if len(e.deviations) > 0 {
		return e, nil
	}
	e.Unwritten = slices.Concat(lines, r.unwritten).Digest()
	return e, nil
}

// Covers reports whether everything that part does is in e too, byte for byte.
func (e Effect) Covers(part Effect) bool {
	return e.lines.Covers(part.lines) && e.deviations.Covers(part.deviations)
}

// CoversPlain is Covers without engine-owned regions.
func (e Effect) CoversPlain(part Effect) bool { return e.lines.Covers(part.lines) }

// regions are the engine-owned regions of a change that deviate: foreign in content, form
// only in form. unwritten are those that are as the engine writes them, named as before it
// wrote them.
type regions struct{ foreign, form, unwritten Footprint }

func regionsOf(base, head tree.View, until time.Time, dirs []string) (r regions, err error) {
	changes, err := tree.Diff(base, head, dirs...)
	if err != nil {
		return r, err
	}
	lists := learn.Lists{View: head}
	for _, c := range changes {
		if !isProposal(c) {
			continue
		}
		data, err := head.Read(c.Path)
		if err != nil {
			return r, fmt.Errorf("read %s: %w", c.Path, err)
		}
		p, diags := proposal.Parse(c.Path, data)
		if c.Added() {
			lists.Learner, lists.Day = cmp.Or(p.For, p.Agent), names.ProposalDay(c.Path)
		}
		if diags.HasErrors() || !isWritten(p, data, listed(changes, c.Path)) {
			r.foreign = append(r.foreign, fmt.Sprintf("%q engine-owned %s\n", c.Path, tree.BlobHash(data)))
		}
	}
	touched, _, err := capability.TouchedBy(base, head, changes)
	if err != nil {
		return r, err
	}
	lists.Steps = learn.StepsOf(touched)
	found, err := learn.Deviations(base, head, lists, learn.SoulsIn(changes), until.UTC().Format(time.DateOnly))
	if err != nil {
		return r, err
	}
	for _, d := range found {
		into := &r.form
		switch {
		case d.Before:
			into = &r.unwritten
		case d.Foreign:
			into = &r.foreign
		}
		*into = append(*into, fmt.Sprintf("%q engine-owned %s\n", d.Path, d.Bytes))
	}
	slices.Sort(r.foreign)
	slices.Sort(r.form)
	slices.Sort(r.unwritten)
	return r, nil
}

func isProposal(c tree.Change) bool {
	return names.Area(c.Path) == names.ProposalsArea && strings.HasSuffix(c.Path, ".md") && !c.Removed() && c.New.Mode.IsFile()
}

// isWritten reports whether a proposal's file is byte for byte as the engine writes it from
// its fields and the paths of the change.
func isWritten(p proposal.Proposal, data []byte, paths []string) bool {
	p.Files = paths
	want, err := proposal.Format(p)
	return err == nil && bytes.Equal(want, data)
}

// listed are the governed paths of a change without the proposal's own file, as the engine
// lists them.
func listed(changes []tree.Change, own string) []string {
	var out []string
	for _, c := range changes {
		if c.Path != own && names.Governed(c.Path) {
			out = append(out, c.Path)
		}
	}
	slices.Sort(out)
	return out
}
