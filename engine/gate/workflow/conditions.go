package workflow

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/condition"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// Outcomes returns the possible outcomes of a job that others need.
func Outcomes() []string { return []string{"success", "skipped", "failed"} }

func tiers() []string {
	var out []string
	for t := policy.Low; t <= policy.Prohibited; t++ {
		out = append(out, t.String())
	}
	return out
}

// ResultFacts returns the fields of `result` and of a needed task's result. Their values are
// the words of the agent that did the task.
func ResultFacts() []condition.Fact {
	return []condition.Fact{
		{Name: "outcome", Type: "string", Values: Outcomes(), Doc: "What became of the job."},
		{Name: "confidence", Type: "double", Doc: "How sure the agent is, 0 to 1."},
		{Name: "compiles", Type: "bool", Doc: "Whether the proposed code passes its tests, which the engine runs."},
		{Name: "found", Type: "bool", Doc: "Whether proposed texts are found by what they say of when to use them, which the engine looks up."},
		{Name: "cost_per_use", Type: "double", Doc: "What one use costs."},
		{Name: "secrets", Type: "list(string)", Doc: "Names of secrets that it needs."},
		{Name: "external_api", Type: "bool", Doc: "Whether it calls a service of others."},
		{Name: "covers", Type: "list(string)", Doc: "What the tests cover, by the tags of their cases."},
		{Name: "lacks", Type: "list(string)", Doc: "What is not covered, and why is said."},
		{Name: "files", Type: "list(string)", Doc: "Paths of the files that were delivered."},
		{Name: "agent", Type: "string", Doc: "Who did it."},
	}
}

// ReportFacts returns the fields of `report` and of a needed validation's result. The engine
// computes them.
func ReportFacts() []condition.Fact {
	return []condition.Fact{
		{Name: "outcome", Type: "string", Values: Outcomes(), Doc: "What became of the job."},
		{Name: "passed", Type: "bool", Doc: "Whether no finding blocks."},
		{Name: "errors", Type: "int", Doc: "How many findings block."},
		{Name: "warnings", Type: "int", Doc: "How many a person has to look at."},
		{Name: "risk", Type: "string", Values: tiers(), Doc: "The tier that is derived of the change."},
	}
}

// RunFacts are the fields of `run`.
func RunFacts() []condition.Fact {
	return []condition.Fact{
		{Name: "category", Type: "string", Doc: "Derived of the input `capability`."},
		{Name: "risk", Type: "string", Values: tiers(), Doc: "Derived of what tasks said: high for a cost above 1.00, medium for secrets or services of others, else low."},
		{Name: "proposal", Type: "string", Doc: "The id of the run's proposal, empty before there is one."},
		{Name: "event", Type: "string", Values: Events(), Doc: "What started the run, as in `on`."},
	}
}

// words returns the vocabulary of one job's conditions.
func (p *jobParser) words(j Job, all []Job, gate bool) *condition.Vocabulary {
	v := &condition.Vocabulary{
		Elsewhere: j.elsewhere(),
		Objects: []condition.Object{
			{Name: "Run", Fields: RunFacts()}, {Name: "Result", Fields: ResultFacts()}, {Name: "Report", Fields: ReportFacts()},
			{Name: "Done", Fields: ReportFacts()[:1]},
		},
		Functions: []condition.Function{{
			Name: "at_least", Args: 2, Ordered: true, Usage: `at_least(report.risk, "high")`, Call: atLeast,
			Doc: "Whether a tier is at or above another.",
		}},
	}
	// Whether a person has to approve must not change later, so that a skip can be checked.
	if j.Approve == "" && j.Uses != Call {
		v.Facts = append(v.Facts, condition.Fact{Name: "run", Type: "Run"})
	}
	if gate {
		name, of := "result", condition.Type("Result")
		if j.Uses == Validate {
			name, of = "report", "Report"
		}
		v.Facts = append(v.Facts, condition.Fact{Name: name, Type: of})
	} else if j.Approve == "" && j.Uses != Call {
		v.Functions = append(v.Functions, statusFunctions()...)
	}
	if len(p.inputs) > 0 {
		o := condition.Object{Name: "Inputs"}
		for _, in := range p.inputs {
			o.Fields = append(o.Fields, condition.Fact{Name: in.Name, Type: "string", Values: in.Values})
		}
		v.Facts = append(v.Facts, condition.Fact{Name: "inputs", Type: "Inputs"})
		v.Objects = append(v.Objects, o)
	}
	if len(j.Needs) > 0 {
		o := condition.Object{Name: "Needs"}
		for _, need := range j.Needs {
			of, at := condition.Type("Done"), slices.IndexFunc(all, func(o Job) bool { return o.Name == need })
			if at < 0 {
				continue
			}
			switch other := all[at]; {
			case other.Agent != "":
				of = "Result"
			case other.Uses == Validate:
				of = "Report"
			case other.Script != nil && len(other.Script.Outputs) > 0:
				of = condition.Type("Outputs_" + FactName(need))
				v.Objects = append(v.Objects, condition.Object{Name: string(of), Fields: append(ReportFacts()[:1:1], other.Script.facts()...)})
			}
			o.Fields = append(o.Fields, condition.Fact{Name: FactName(need), Type: of})
		}
		for _, aggregate := range j.Aggregates {
			o.Fields = append(o.Fields, condition.Fact{Name: FactName(aggregate.Name), Type: "Done"})
		}
		v.Facts = append(v.Facts, condition.Fact{Name: "needs", Type: "Needs"})
		v.Objects = append(v.Objects, o)
	}
	return v
}

// statusFunctions are for the condition that decides whether a job is done.
func statusFunctions() []condition.Function {
	return []condition.Function{
		{
			Name: Failure, Usage: Failure + "()", Doc: "Whether a job has failed that this one needs, directly or through others; with fail-fast, whether any job has failed.",
			Call: func(facts condition.Facts, _ []string) (bool, error) {
				failed, _ := facts.Fact(Failure).(bool)
				return failed, nil
			},
		},
		{
			Name: Always, Usage: Always + "()", Doc: "True: the job is done whatever failed.",
			Call: func(condition.Facts, []string) (bool, error) { return true, nil },
		},
	}
}

// FactName is the name of a job in conditions, where '-' would subtract.
func FactName(job string) string { return strings.ReplaceAll(job, "-", "_") }

func atLeast(_ condition.Facts, args []string) (bool, error) {
	order := tiers()
	a, b := slices.Index(order, args[0]), slices.Index(order, args[1])
	if a < 0 || b < 0 {
		return false, errors.New("at_least compares tiers: " + strings.Join(order, ", "))
	}
	return a >= b, nil
}

// conditions compiles those of all jobs.
func (p *jobParser) conditions(n strictyaml.Node, jobs []Job) {
	read := map[*Group]bool{}
	for i, j := range jobs {
		at := n.Get(cmp.Or(j.Of, j.Name))
		if groups := j.Groups(); len(groups) > 0 { // its own conditions are compiled where it is written
			if g := groups[0]; !read[g] {
				read[g] = true
				p.condition(at, "if", Job{Name: j.Of, Uses: Call, Needs: g.Needs, Aggregates: g.Aggregates}, jobs, &g.If)
			}
			continue
		}
		p.condition(at, "if", j, jobs, &jobs[i].If)
		p.condition(at, "gate", j, jobs, &jobs[i].Gate)
	}
}

// condition compiles a condition of a job, unless it may read a job or input that has errors.
func (p *jobParser) condition(job strictyaml.Node, field string, j Job, all []Job, into **condition.Condition) {
	n := job.Get(field)
	if n.Kind() == strictyaml.Absent {
		return
	}
	text, quoted := n.Text()
	if n.Kind() != strictyaml.Scalar {
		p.diags.Errorf(RuleCondition, n.Pos(), "write it on one line, such as gate: result.compiles", "a condition must be text, not %s", n.Kind())
		return
	}
	if !quoted && (text == "true" || text == "false") {
		p.diags.Errorf(RuleCondition, n.Pos(), "leave it out", "a condition that is always %s says nothing", text)
		return
	}
	if strings.HasPrefix(strings.TrimSpace(text), "${{") {
		p.diags.Errorf(RuleCondition, n.Pos(), "write it without ${{ and }}", "a condition is an expression already")
		return
	}
	own := p.unread[cmp.Or(j.Of, j.Name)]
	needs := own || slices.ContainsFunc(j.Needs, func(need string) bool {
		at := slices.IndexFunc(all, func(o Job) bool { return o.Name == need })
		return at < 0 || p.unread[cmp.Or(all[at].Of, all[at].Name)]
	})
	if own && field == "gate" || p.unread[""] && strings.Contains(text, "inputs") || needs && strings.Contains(text, "needs") {
		return
	}
	compiled, problems := p.words(j, all, field == "gate").Compile(text)
	for _, problem := range problems {
		fix := strings.ReplaceAll(problem.Fix, "docs/policies.md", "docs/workflows.md")
		p.diags.Errorf(RuleCondition, n.Within(problem.Line, problem.Column), fix, "%s", problem.Message)
	}
	*into = compiled
}

// together checks what only all jobs of a workflow show.
func (p *parser) together(w Workflow) {
	if w.Direct() {
		for _, name := range w.On.Proposal {
			if name == ProposalRejected {
				p.diags.Errorf(RuleEvent, p.doc.Pos("on", name), "delegate something with agent:, or send a notice with uses: notify",
					"%s leaves nothing for %s, %s and %s to do", name, Inbox, Merge, Validate)
			}
		}
		return
	}
	about := len(w.On.Proposal) > 0 && !w.On.Gap && w.On.Schedule == "" && w.On.Command == ""
	p.secretsApart(w)
	p.secretsGuarded(w)
	folded := map[string]string{}
	delivers := map[string]bool{}
	for _, j := range w.Jobs {
		if twin, twice := folded[FactName(j.Name)]; twice {
			p.diags.Errorf(RuleJob, j.Pos, "rename one of them", "conditions could not tell it from %s", quote(twin))
		}
		folded[FactName(j.Name)] = j.Name
		delivers[j.Name] = len(j.Deliver) > 0 || slices.ContainsFunc(j.Needs, func(n string) bool { return delivers[n] })
		p.hasSubject(j, about, delivers[j.Name])
		p.apart(w, j)
	}
}

// hasSubject refuses actions that would find nothing to act on.
func (p *parser) hasSubject(j Job, about, delivered bool) {
	pos := j.Pos
	switch {
	case j.Uses == Health || j.Uses == GC:
		p.diags.Errorf(RuleJob, pos, "put it into a workflow of its own", "%s belongs to no run: it is about everything that is in force", j.Uses)
	case j.Uses == Inbox:
		p.diags.Errorf(RuleJob, pos, "put it into a workflow of its own", "%s belongs to no run: it is about branches that others push", Inbox)
	case (j.Uses == Validate || j.Uses == Merge) && !about && !delivered:
		p.diags.Errorf(RuleJob, pos, "let it need a job with deliver:", "job %s would have no proposal: no job before it delivers files", quote(j.Name))
	}
}
