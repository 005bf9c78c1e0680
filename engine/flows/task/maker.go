package task

import (
	"cmp"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Maker is the run that makes a proposal or made it: the newest of those that went on with it. Anyone who can push can
// write journals of runs, so it is advice to people and never a rule of the gate.
type Maker struct {
	Run      string `json:"run"`
	Workflow string `json:"workflow"`
	// State is active, completed, failed or cancelled; Reason says why it ended.
	State  string `json:"state"`
	Reason string `json:"reason,omitempty"`
	// Open are the jobs of an active run that come before the merge.
	Open []string `json:"open,omitempty"`
}

// MakerOf finds the run that makes the proposal with this id; nil if none does or it cannot be read.
func MakerOf(cur workspace.Session, id string) (*Maker, error) {
	all, err := Continued(cur, id) // a proposal of a run has its id
	if err != nil || len(all) == 0 {
		return nil, err
	}
	s := all[len(all)-1]
	if s.About != "" || s.Proposal != "" && s.Proposal != id {
		return nil, nil //nolint:nilnil // it is about another one
	}
	m := &Maker{Run: s.ID, Workflow: s.Workflow, State: cmp.Or(string(s.Outcome), "active"), Reason: s.Reason}
	if s.Outcome == "" {
		defs, err := DefinitionsOf(cur)
		if err != nil {
			return nil, err
		}
		flow, _ := defs.Recorded(s)
		m.Open = s.BeforeMerge(flow)
	}
	return m, nil
}

// Text says that the run is still at work, or that it failed or was cancelled; "" if people need not know.
func (m *Maker) Text() string {
	switch {
	case m == nil || m.State == string(run.Completed):
		return ""
	case len(m.Open) > 0:
		return "the run " + m.Run + " has jobs to do before the merge: " + strings.Join(m.Open, ", ")
	case m.State == "active":
		return ""
	}
	return "the run " + m.Run + " " + run.Outcome(m.State).Phrase() // without the reason, which anyone who can push can write
}

// Show is the command that shows the run.
func (m *Maker) Show() string { return "assent run show " + names.ShellWord(m.Run) }
