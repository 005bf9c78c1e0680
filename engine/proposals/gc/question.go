package gc

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
)

// question asks what to do about a conflict.
type question struct {
	dispute
	// drop is the skill that the proposal is about, stay the other one, why the reason for this choice.
	drop, stay side
	why        string
}

// side is a skill of a conflict, and what tells which of them to ask about.
type side struct {
	index.Entry
	// came and changed are when the folder came into force first, and when it changed last.
	came, changed time.Time
	trial.Utility
}

func sideOf(cur workspace.Session, e index.Entry, o observed) (side, error) {
	s := side{Entry: e, Utility: trial.UtilityOf(names.Fold(e.Name), o.missions, penalties()[o.states[e.Path]])}
	commits, err := audit.Changing(cur.Repo, cur.InForce, e.Path)
	if err != nil || len(commits) == 0 {
		return s, err
	}
	var newest, oldest gitstore.Commit
	if newest, err = cur.Repo.Commit(commits[0]); err == nil {
		oldest, err = cur.Repo.Commit(commits[len(commits)-1])
	}
	s.came, s.changed = oldest.Committer.When, newest.Committer.When
	return s, err
}

// rank orders verdicts, the worst first.
func (s side) rank() int {
	switch s.Verdict {
	case trial.Harmful:
		return 0
	case trial.Useless:
		return 1
	case trial.Helpful:
		return 3
	}
	return 2
}

// question is about the skill that missions speak against, else the newer one, else the one that changed last,
// else that of lower utility.
func (d dispute) question(cur workspace.Session, o observed) (question, error) {
	drop, err := sideOf(cur, d.a, o)
	if err != nil {
		return question{}, err
	}
	stay, err := sideOf(cur, d.b, o)
	if err != nil {
		return question{}, err
	}
	order := cmp.Or(cmp.Compare(drop.rank(), stay.rank()), stay.came.Compare(drop.came), stay.changed.Compare(drop.changed), cmp.Compare(drop.Utility.Utility, stay.Utility.Utility), 1)
	if order > 0 {
		drop, stay = stay, drop
	}
	q := question{dispute: d, drop: drop, stay: stay}
	switch {
	case drop.rank() != stay.rank():
		q.why = "missions speak for the other one, or against this one"
	case !drop.came.Equal(stay.came):
		q.why = "it is the newer one"
	case !drop.changed.Equal(stay.changed):
		q.why = "both came into force at once, and it changed last"
	case drop.Utility.Utility != stay.Utility.Utility:
		q.why = "both are of the same time, and it has the lower utility"
	default:
		q.why = "nothing tells which of them is right"
	}
	return q, nil
}

// otherwise is the question about the other skill, because the first one stays.
func (q question) otherwise(kept []string) question {
	q.why = fmt.Sprintf("it would be about %s (%s), but that stays", q.drop.Path, q.why)
	if len(kept) > 0 {
		q.why += ": " + strings.Join(kept, "; ")
	}
	q.drop, q.stay = q.stay, q.drop
	return q
}

// The words by which an open proposal names its skills.
const (
	thisSkill  = "this skill: "
	otherSkill = "the other skill: "
)

// intro says which skills are in conflict, how old they are, and what they are worth.
func (q question) intro() []string {
	about := func(s side) string {
		verdict := cmp.Or(s.Verdict, "no verdict")
		return fmt.Sprintf("%s, %s, in force since %s, changed on %s; utility %.6g in %d missions (%s)", s.Path, s.Tree.Short(), day(s.came), day(s.changed), s.Utility.Utility, s.With, verdict)
	}
	return []string{thisSkill + about(q.drop), otherSkill + about(q.stay)}
}

func (q question) request(cur workspace.Session, id string) (propose.Request, error) {
	body := fmt.Sprintf("# Why\n\nTwo skills are in conflict. This proposal is about **%s**: %s.\n\n", q.drop.Path, q.why) + items(append(q.intro(), q.lines...)) +
		fmt.Sprintf("\nContents: %s.\n\n# What to do\n\nApproved as it is, this **removes %s**.\n\n", q.content(), q.drop.Path) + items([]string{
		fmt.Sprintf("To reword %s: `assent update %s FOLDER --goal \"…\"`, with its whole folder", q.drop.Name, names.ShellWord(id)),
		fmt.Sprintf("To limit %s, say in the sentence when it holds, or in the record for which tools (`applies_to`) or agents (`agents`): the same command", q.drop.Name),
		fmt.Sprintf("To drop %s instead: `assent propose --delete %s`; to reword or limit that, propose its changed folder. `assent gc` withdraws this once the conflict is gone", q.stay.Name, names.ShellWord(q.stay.Name)),
		fmt.Sprintf("To drop %s: `assent review %s approve`; once merged, `assent undo %[2]s` restores it", q.drop.Name, names.ShellWord(id)),
		fmt.Sprintf("To keep both: `assent review %s reject --reason \"…\"`; it is not proposed again without new evidence", names.ShellWord(id)),
	})
	r := propose.Request{
		Proposal: proposal.Proposal{
			ID: id, Kind: proposal.Archive, Capability: q.drop.Name, Body: body,
			Goal: fmt.Sprintf("drop %s, or reword or limit it: it is in conflict with %s", q.drop.Name, q.stay.Name),
		},
		Origin: provenance.Origin{Way: provenance.History},
	}.AsEngine(cur.Now())
	var err error
	r.Edits, err = removal(cur, q.drop.Path)
	return r, err
}

// removal are the edits that remove a folder.
func removal(cur workspace.Session, folder string) (out []tree.Edit, err error) {
	err = tree.Files(cur.View, folder, func(e tree.Entry) error {
		out = append(out, tree.Edit{Path: e.Path, Remove: true})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", folder, err)
	}
	return out, nil
}
