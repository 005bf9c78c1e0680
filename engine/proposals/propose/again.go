package propose

import (
	"cmp"
	"fmt"
	"path"
	"slices"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gate/duplicate"
	"github.com/assent-dev/assent/engine/workspace"
)

// maxRivals is how many open proposals a new one is compared with, the newest first.
const maxRivals = 200

// brings is the comparable content of a proposal.
type brings struct {
	effect string // digest of the changes, without the proposal's own file
	added  []added
}

type added struct {
	name   string
	sketch duplicate.Sketch
}

// again refuses a proposal whose change an open one makes already, or whose capability an open one
// brings under another name. Open proposals come and go, so this is checked when a proposal is
// made and is in no report; validation compares the second one to merge with the first, which is
// then in force.
func (in *Intake) again(b built) (diag.List, error) {
	mine, err := in.bringsOf(b.commit)
	if err != nil {
		return nil, fmt.Errorf("read the proposal's own commit: %w", err)
	}
	open := slices.Concat(in.open, in.pretended)
	order.Stable(open, func(a, b forge.Pull) int { return b.Opened.Compare(a.Opened) })
	var out diag.List
	for _, p := range open[:min(len(open), maxRivals)] {
		if p.ID == b.proposal.ID {
			continue
		}
		other, known := in.brought[p.Head]
		if !known {
			// A pushed head may be broken in any way; that must not block other proposals.
			other, _ = in.bringsOf(p.Head)
			in.brought[p.Head] = other
		}
		if other.effect == mine.effect {
			return diag.List{sameAgain(p)}, nil
		}
		out.Add(alike(b.proposal, mine, p, other)...)
	}
	return out, nil
}

func sameAgain(p forge.Pull) diag.Diagnostic {
	return diag.Diagnostic{
		Rule: RuleAgain, Severity: diag.Error, Message: fmt.Sprintf("%s, still open, makes exactly this change", p.ID),
		Fix: "assent why " + names.ShellWord(p.ID) + " says what it waits for, or what blocks it; to change its text or answer a review: assent update " + names.ShellWord(p.ID) +
			"; to propose it this way instead: assent withdraw " + names.ShellWord(p.ID),
	}
}

// alike compares the capabilities that two proposals add.
func alike(mine proposal.Proposal, have brings, p forge.Pull, other brings) diag.List {
	var out diag.List
	for _, a := range have.added {
		for _, o := range other.added {
			if names.Fold(a.name) == names.Fold(o.name) {
				continue // see rivals
			}
			d := diag.Diagnostic{
				Rule: RuleAlike, Severity: diag.Error,
				Fix: fmt.Sprintf("wait for that one, or say how yours differs: --differs-from %s=\"…\"", o.name),
			}
			switch duplicate.Compare(a.sketch, o.sketch).Degree {
			case duplicate.Identical, duplicate.Renamed:
				d.Message = fmt.Sprintf("%s is nearly what %s, still open, brings as %s", a.name, p.ID, o.name)
			case duplicate.Reworded:
				d.Severity = diag.Warning
				d.Message = fmt.Sprintf("%s says much the same as %s, which %s, still open, brings", a.name, o.name, p.ID)
			default:
				continue
			}
			if slices.ContainsFunc(mine.Differs, func(d proposal.Difference) bool { return names.Fold(d.From) == names.Fold(o.name) }) {
				d.Severity = diag.Warning
			}
			out.Add(d)
		}
	}
	return out
}

// bringsOf reads the comparable content of a head.
func (in *Intake) bringsOf(head tree.Hash) (brings, error) {
	base, err := in.cur.Repo.MergeBase(in.cur.Main, head)
	if err != nil {
		return brings{}, err
	}
	before, err := in.cur.See(base)
	if err != nil {
		return brings{}, err
	}
	after, err := in.cur.See(head)
	if err != nil {
		return brings{}, err
	}
	var dirs []string
	for _, a := range names.GovernedAreas() {
		if a != names.ProposalsArea {
			dirs = append(dirs, string(a))
		}
	}
	effect, err := gate.FootprintOf(before, after, dirs...)
	if err != nil {
		return brings{}, err
	}
	out := brings{effect: effect.Digest()}
	err = out.readAdded(before, after)
	return out, err
}

// maxAdded bounds how many capabilities of one proposal are compared.
const maxAdded = 64

func (b *brings) readAdded(before, after *workspace.View) error {
	changes, err := tree.Diff(before, after, capability.Root)
	if err != nil {
		return err
	}
	for _, c := range changes {
		dir := path.Dir(c.Path)
		if !c.Added() || path.Base(c.Path) != names.SkillFile || len(b.added) == maxAdded {
			continue
		}
		loaded, _, err := capability.Load(after, dir)
		if err != nil {
			return err
		}
		s := duplicate.Of(loaded)
		if err := s.Beside(after, dir); err != nil {
			return err
		}
		b.added = append(b.added, added{cmp.Or(loaded.Name, path.Base(dir)), s})
	}
	return nil
}
