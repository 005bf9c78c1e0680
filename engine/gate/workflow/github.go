package workflow

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/base/strictyaml"
)

// github maps keys of workflows of GitHub Actions to what to write here.
var github = map[string]string{
	"runs-on":           "remove it: a script runs in the sandbox of the engine that has the runner's key",
	"steps":             "write run: with one script instead; the files are in its start folder already",
	"strategy":          "write matrix: in the job itself, and fail-fast: of the workflow",
	"timeout-minutes":   "write timeout:, such as 5m",
	"shell":             "write runtime: with bash, python or node",
	"working-directory": "remove it, and begin the script with cd",
	"permissions":       "remove it: a script gets no token",
	"with":              "remove it: write what the action would do into the script",
	"container":         "remove it: the sandbox shows the programs of its machine",
	"services":          "remove it: a script reaches only hosts that it names in hosts:",
	"environment":       "remove it: approvals.yaml says who approves",
	"fail-fast":         "move it to the top level, beside on:; it applies to all jobs",
	"defaults":          "remove it: each job has its own runtime:",

	"cancel-in-progress": "write cancel: true, or false",
}

// githubEvents does so for events.
var githubEvents = map[string]string{
	"pull_request":        "write proposal.opened: true and proposal.updated: true",
	"pull_request_target": "write proposal.opened: true and proposal.updated: true; the workflow in force runs, as there",
	"pull_request_review": "write proposal.approved: true",
	"push":                "write proposal.merged: true; main changes only by merges of proposals",
	"workflow_dispatch":   "write command: WORD; assent run start WORD starts it. Its inputs are inputs: of the workflow",
	"workflow_call":       "write command: WORD; another workflow calls it with uses: workflow and workflow: NAME",
	"workflow_run":        "call that workflow with uses: workflow in a job, and let the next job need it",
	"merge_group":         "write proposal.opened: true and proposal.updated: true",
}

// githubFacts does so for names in conditions.
var githubFacts = map[string]string{
	"github":    "write run.event, run.proposal or inputs.NAME",
	"event":     "write run.event, such as run.event == 'command'",
	"success":   "remove it: without if, a job is done when all that it needs succeeded",
	"cancelled": "remove it: nothing is done in a run that was cancelled",
	"steps":     "write needs.JOB.OUTPUT",
	"matrix":    "write test \"$ASSENT_MATRIX_NAME\" in the script",
	"env":       "write inputs.NAME or needs.JOB.OUTPUT; env is for scripts",
	"secrets":   "test it in the script; a condition sees no secret",
	".result":   "write needs.JOB.outcome, which is success, skipped or failed",
	".outputs":  "write needs.JOB.NAME: an output is a field of its job",

	"needs":       "add needs: to the job, with the jobs that it reads",
	"inputs":      "add inputs: to the workflow",
	"vars":        "write inputs.NAME or needs.JOB.OUTPUT",
	"contains(":   `write TEXT.contains("part"), or "element" in LIST`,
	"startsWith(": `write TEXT.startsWith("beginning")`,
	"endsWith(":   `write TEXT.endsWith("end")`,
}

// githubExpression is an expression that GitHub Actions would replace; a shell would fail there, or print it.
var githubExpression = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\{\{\s*(?:(github|env|vars|jobs?|steps|runner|secrets|strategy|matrix|needs|inputs)\b|[A-Za-z]+\()`)
})

// githubVariables says what to write for them in a script, by their first word.
var githubVariables = map[string]string{
	"github":  "write $ASSENT_COMMIT, $ASSENT_PROPOSAL, $ASSENT_EVENT or $ASSENT_RUN",
	"inputs":  "write $ASSENT_INPUT_NAME",
	"needs":   "write $ASSENT_NEEDS_JOB_NAME for an output, $ASSENT_NEEDS_JOB_OUTCOME for the outcome",
	"matrix":  "write $ASSENT_MATRIX_NAME",
	"env":     "write the variable itself, such as $NAME",
	"secrets": "name it under secrets:, and write the variable itself, such as $NAME",
}

// expressionless refuses expressions of GitHub Actions in a text. It returns true for a text without any. Without fix, a
// variable is named that has the value in a script.
func (p *reader) expressionless(n strictyaml.Node, text, fix string) bool {
	m := githubExpression().FindStringSubmatch(text)
	if m != nil {
		fix = cmp.Or(fix, githubVariables[m[1]], "write a variable of the environment; docs/workflows.md lists them")
		p.diags.Errorf(RuleRun, n.Pos(), fix, "nothing replaces %s… here", quote(m[0]))
	}
	return m == nil
}

// filled is a word in the braces that templates fill, also with dots, as in {{inputs.parameters.word}} of Argo. What
// begins with another character, such as {{.ID}}, is for other programs.
var filled = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{\s*([A-Za-z][\w.-]*)\s*\}\}`) })

// unfilled refuses words in braces in a text, where nothing fills them. A script can hold braces for other programs:
// without fix, only the names of inputs are refused.
func (p *reader) unfilled(n strictyaml.Node, text, fix string, inputs ...Input) {
	for _, m := range filled().FindAllStringSubmatch(text, -1) {
		if fix != "" || slices.ContainsFunc(inputs, func(in Input) bool { return in.Name == m[1] }) {
			p.diags.Errorf(RuleRun, n.Pos(), cmp.Or(fix, "write $ASSENT_INPUT_"+strings.ToUpper(m[1])), "nothing fills %s here", quote(m[0]))
			return
		}
	}
}

// elsewhere says what to write in conditions of a job for names of GitHub Actions, and for needed jobs whose name has
// a '-', which would subtract.
func (j Job) elsewhere() map[string]string {
	out := maps.Clone(githubFacts)
	for _, need := range j.Needs {
		if first, _, has := strings.Cut(need, "-"); has {
			out["."+first] = "write needs." + FactName(need)
		}
	}
	return out
}
