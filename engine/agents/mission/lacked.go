package mission

import (
	"slices"

	"github.com/assent-dev/assent/engine/tools/answers"
	"github.com/assent-dev/assent/engine/workspace"
)

// Lacked is what a mission lacked in all its rounds, and what was done about that. The record of a run or proposal
// says who built it.
type Lacked struct {
	Lacks []Lack `json:"lacked,omitempty"`
	// Runs were started or waited for, Proposals are theirs and those of others.
	Runs      []string `json:"runs,omitempty"`
	Proposals []string `json:"proposals,omitempty"`
	// LeftOut are lacks beyond those that a mission asks for.
	LeftOut []string `json:"left_out,omitempty"`
}

// Lack is a gap that was heard, and what served it then.
type Lack struct {
	Name   string         `json:"name"`
	Words  string         `json:"words,omitempty"`
	Status answers.Status `json:"status"`
}

// Lacked adds up the steps.
func (s State) Lacked(cur workspace.Session) *Lacked {
	var out Lacked
	for _, step := range s.Steps {
		for _, g := range step.Gaps {
			if !slices.ContainsFunc(out.Lacks, func(l Lack) bool { return l.Name == g.Name }) {
				out.Lacks = append(out.Lacks, Lack{g.Name, words(g.Gap), g.Status})
			}
		}
		add(&out.Runs, step.Runs...)
		add(&out.Proposals, step.Proposals...)
		add(&out.LeftOut, step.LeftOut...)
	}
	for _, id := range out.Runs {
		if one, err := cur.Runs.Read(id); err == nil && one.Proposal != "" {
			add(&out.Proposals, one.Proposal)
		}
	}
	return &out
}

// add appends what a list lacks.
func add(list *[]string, more ...string) {
	for _, one := range more {
		if !slices.Contains(*list, one) {
			*list = append(*list, one)
		}
	}
}
