package followup

import (
	"fmt"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

// request is the proposal: the skill's folder goes.
func (q Question) request(cur workspace.Session) (propose.Request, error) {
	body, err := q.body(cur)
	if err != nil {
		return propose.Request{}, err
	}
	r := propose.Request{
		Proposal: proposal.Proposal{
			ID: q.ID(), Kind: proposal.Archive, Capability: q.Skill.Name, Body: body,
			Goal: fmt.Sprintf("keep, archive or revise %s: %s supersedes %s, which it applies to", q.Skill.Name, q.Repair.Name, q.Target),
		},
		Origin: provenance.Origin{Way: provenance.History},
	}.AsEngine(cur.Now())
	err = tree.Files(cur.View, q.Skill.Path, func(e tree.Entry) error {
		r.Edits = append(r.Edits, tree.Edit{Path: e.Path, Remove: true})
		return nil
	})
	if err != nil {
		return r, fmt.Errorf("list %s: %w", q.Skill.Path, err)
	}
	return r, nil
}

// Why returns the reason for the question in one sentence, from the content in force.
func (q Question) Why(cur workspace.Session) (string, error) {
	repair, _, err := capability.Glance(cur.View, q.Repair.Folder)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", q.Repair.Path, err)
	}
	how := "as a repair: its callers need not change"
	if repair.Record.Breaking {
		how = "as a breaking version: its callers have to change"
	}
	if len(q.By) > 0 {
		how += "; by way of " + strings.Join(q.By, ", ")
	}
	was := "not in force any more"
	if q.Was != nil {
		was = fmt.Sprintf("%s, %s", q.Was.Version, q.Was.Status)
	}
	return fmt.Sprintf("the skill %s applies to %s (%s), and %s %s, which is active, supersedes that %s", q.Skill.Name, q.Target, was, q.Repair.Name, q.Repair.Version, how), nil
}

// Superseding begins the line of a question's text that names the repair.
const Superseding = "superseded by: "

// The answers: keep the skill, archive it, put a revision in its place, or revise again.
const (
	Keep    = "keep"
	Archive = "archive"
	Revise  = "revise"
	Rework  = "rework"
)

// Answer is one way to answer a question, with its command.
type Answer struct {
	// What is Keep, Archive, Revise or Rework.
	What    string `json:"what"`
	Command string `json:"command"`
	Then    string `json:"then"`
}

// Answers returns the three answers; head, the whole hash of a commit, binds a review to this version, unless it is empty.
// revised reports that the proposal now holds a revision, which an approval would take.
func (q Question) Answers(head string, revised bool) []Answer {
	id, at := q.ID(), ""
	if head != "" {
		at = " --head " + names.ShellWord(head)
	}
	keep := Answer{Keep, `assent review ` + names.ShellWord(id) + ` reject` + at + ` --reason "…"`, "it is not asked again for this repair"}
	approve := Answer{Archive, "assent review " + names.ShellWord(id) + " approve" + at, "once merged; assent undo brings it back"}
	revise := Answer{Revise, "assent update " + names.ShellWord(id) + ` FOLDER --goal "…"`, "the whole folder of the skill; applies_to names " + q.Repair.Name + " where it applies to that"}
	if revised {
		approve.What, approve.Then, revise.What = Revise, "as this does, once merged", Rework
	}
	return []Answer{keep, approve, revise}
}

func (q Question) body(cur workspace.Session) (string, error) {
	why, err := q.Why(cur)
	if err != nil {
		return "", err
	}
	changed, err := audit.LastChanges(cur.Repo, cur.InForce, []string{q.Repair.Path})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Why\n\nIs this skill still needed? %s.\n\n", strings.ToUpper(why[:1])+why[1:])
	fmt.Fprintf(&b, "- the skill: %s\n- applies to: %s\n- "+Superseding+"%s", q.Skill.Path, q.Target, q.Repair.Path)
	if c := changed[q.Repair.Path]; !c.Hash.IsZero() {
		fmt.Fprintf(&b, ", as of commit %s of %s", c.Hash.Short(), c.When().Format(time.DateOnly))
	}
	b.WriteString("\n\nIf the skill works around the repaired fault, it is useless now, or wrong. No one has checked that yet: the records alone caused this proposal.\n\n# What to do\n\n")
	for _, a := range q.Answers("", false) {
		fmt.Fprintf(&b, "- To %s it: `%s` (%s)\n", a.What, a.Command, a.Then)
	}
	return b.String(), nil
}
