package migrate

import (
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// toFoldedJournals gives a workspace its first number. A workspace.yaml that is there
// and cannot be used, which is why the workspace counts as unnumbered, is replaced.
func toFoldedJournals() migration {
	return migration{
		to: policy.FoldedJournals,
		why: "The workspace was written before formats had numbers. From format 1 on, journals of closed\n" +
			"proposals may be folded together, so a fetch does not list one ref for each of them.\n\n" +
			"Programs from before then cannot find the evidence of merges in folded journals: everyone\n" +
			"who works here must update first. A format is never taken back.",
		edits: func(tree.View) ([]tree.Edit, error) {
			return []tree.Edit{{Path: policy.WorkspaceFile, Content: []byte(firstNumber)}}, nil
		},
	}
}

// firstNumber is the file as a new workspace begins with it.
const firstNumber = `# The format that this workspace is written in. A program that does not know the
# number refuses to work here instead of guessing. It goes up by proposal (assent
# migrate makes one), like any change of a policy, and never down.

format: 1
`
