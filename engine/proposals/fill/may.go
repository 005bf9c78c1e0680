package fill

import (
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/tools/tool"
	"github.com/assent-dev/assent/engine/workspace"
)

// may finds the folder that is to be filled in, or says why none may be.
func (o Options) may(cur workspace.Session, ex workspace.Examined) (string, error) {
	p := ex.Case.Pull
	switch {
	case p.State == forge.Merged:
		return "", fmt.Errorf("%s: %w", p.ID, forge.ErrMerged)
	case p.State != forge.Open:
		return "", fmt.Errorf("%s: %w", p.ID, forge.ErrClosed)
	case ex.Case.Conflicted:
		return "", &Refusal{p.ID + " does not apply to main any more", "assent rebase " + names.ShellWord(p.ID) + " first"}
	}
	if err := o.mode(cur.Policies, ex.Case.Facts()); err != nil {
		return "", err
	}
	caps := ex.Report.Changes.Capabilities
	kinds := []string{string(capability.KindTool), string(capability.KindMCP)}
	if len(caps) != 1 || caps[0].Op != policy.Added || !slices.Contains(kinds, caps[0].Kind) {
		return "", &Refusal{p.ID + " does not bring exactly one new tool or server, and nothing else is filled in", "assent new tool|mcp NAME --propose begins one"}
	}
	if no := tool.Admits(cur.Policies, capability.Kind(caps[0].Kind)); no != nil {
		return "", &Refusal{no.Why, no.Fix}
	}
	return caps[0].Path, nil
}

// mode refuses unless the policies let code be drafted, both for the proposal as judged and for
// the actor, who may be another identity.
func (o Options) mode(p policy.Policies, f policy.Facts) error {
	acts := f
	acts.Agent, acts.Proposer = o.By.Name, policy.Actor{Name: o.By.Name, Email: o.By.Email}
	for _, facts := range []policy.Facts{f, acts} {
		if mode := policy.ModeOf(p, facts, policy.DeriveRisk(p, facts)); mode != policy.Sandboxed && mode != policy.Autonomous {
			return &Refusal{
				fmt.Sprintf("%s may not have code drafted: for %s (kind %s) the mode is %s, in which assent makes up no logic", o.By.Name, facts.Agent, f.Kind, mode),
				"write it yourself: assent update " + names.ShellWord(f.ID) + "; or propose sandboxed in policies/autonomy.yaml",
			}
		}
	}
	return nil
}
