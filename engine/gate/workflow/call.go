package workflow

import (
	"cmp"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/condition"
	"github.com/assent-dev/assent/engine/base/strictyaml"
)

// Call is the action of a job that stands for the jobs of another workflow.
const Call = "workflow"

// maxDepth bounds how deep workflows call each other.
const maxDepth = 3

// Group is what the jobs of a called workflow have in common.
type Group struct {
	// Workflow is the called one, Prefix what comes before the names of its jobs.
	Workflow, Prefix string
	// Inputs are those of the called workflow, Given their texts, with placeholders for inputs of the
	// calling one.
	Inputs []Input
	Given  map[string]string
	// If decides whether its jobs are done, by the jobs that the call needs.
	If         *condition.Condition
	Needs      []string
	Aggregates []Aggregate
	// Parent is the group of the call itself; nil in the workflow that runs.
	Parent *Group
}

// Values returns the inputs of the called workflow, by those of the run.
func (g *Group) Values(inputs map[string]string) map[string]string {
	if g == nil {
		return inputs
	}
	from, out := g.Parent.Values(inputs), map[string]string{}
	for name, text := range g.Given {
		out[name] = Fill(text, from)
	}
	return out
}

// InputsOf returns the inputs that a job can read: those of the workflow that it is written in.
func (w Workflow) InputsOf(j Job) []Input {
	if j.Group == nil {
		return w.Inputs
	}
	return j.Group.Inputs
}

// Local is the name of a needed job where the job is written.
func (j Job) Local(need string) string {
	if j.Group == nil {
		return need
	}
	return strings.TrimPrefix(need, j.Group.Prefix)
}

// Groups returns the groups of a job, the outermost first.
func (j Job) Groups() []*Group {
	var out []*Group
	for g := j.Group; g != nil; g = g.Parent {
		out = append([]*Group{g}, out...)
	}
	return out
}

// Conditional reports whether a condition can skip the job.
func (j Job) Conditional() bool {
	return j.If != nil || slices.ContainsFunc(j.Groups(), func(g *Group) bool { return g.If != nil })
}

// calls are what the calls of one workflow bring.
type calls struct {
	depth   int
	digests []string // of the workflows that are called
	jobs    []Job    // of the last call
}

func callKeys() []string { return []string{"uses", "workflow", "inputs", "needs", "if"} }

// call reads a job that stands for the jobs of another workflow.
func (p *jobParser) call(n strictyaml.Node, j *Job) {
	j.Uses = Call
	at := n.Get("workflow")
	if at.Kind() == strictyaml.Absent {
		p.diags.Errorf(RuleJob, j.Pos, "add workflow: with the name of one", "job %s does not say which workflow it calls", quote(j.Name))
		return
	}
	name, ok := p.text(at, "workflow")
	if !ok {
		return
	}
	w, depth, not := p.load(name)
	if not != nil {
		p.diags.Errorf(RuleCall, at.Pos(), not.fix, "job %s cannot call %s: %s", quote(j.Name), quote(name), not.why)
		return
	}
	p.calls.depth = max(p.calls.depth, depth+1)
	p.calls.digests = append(p.calls.digests, w.Digest)
	if p.calls.depth > maxDepth {
		p.diags.Errorf(RuleCall, at.Pos(), "call its jobs from here", "workflows call each other more than %d deep", maxDepth)
	}
	p.calls.jobs = w.Jobs
	j.Group = &Group{Workflow: name, Prefix: j.Name + "-", Inputs: w.Inputs, Given: p.given(n.Get("inputs"), j, w)}
}

// given reads the inputs of a call. A text can contain inputs of the calling workflow.
func (p *jobParser) given(n strictyaml.Node, j *Job, w Workflow) map[string]string {
	out := map[string]string{}
	if n.Kind() != strictyaml.Absent && p.mapping(n, "inputs") {
		for i := range n.Len() {
			key, value := n.Entry(i)
			text, ok := p.text(value, "inputs")
			at := slices.IndexFunc(w.Inputs, func(in Input) bool { return in.Name == key.Key() })
			switch found := placeholder().FindAllStringSubmatch(text, -1); {
			case !p.expressionless(value, text, "write {{NAME}} for an input of this workflow"):
			case at < 0:
				p.diags.Errorf(RuleInput, key.Pos(), "leave it out", "the workflow %s has no input %s", w.Name, quote(key.Key()))
			case ok && len(found) == 0 && w.Inputs[at].Fault(text) != "":
				p.diags.Errorf(RuleInput, value.Pos(), "give another", "the input %s %s", quote(key.Key()), w.Inputs[at].Fault(text))
			default:
				for _, m := range found {
					if _, known := p.input(strings.TrimSpace(m[1])); !known {
						p.diags.Errorf(RuleInput, value.Pos(), suggest(m[1], p.inputNames(), "the inputs are "), "this workflow has no input %s", quote(m[1]))
					}
				}
			}
			out[key.Key()] = text
		}
	}
	for _, in := range w.Inputs {
		if _, is := out[in.Name]; !is && in.Required {
			p.diags.Errorf(RuleInput, j.Pos, "give it under inputs:", "the workflow %s needs the input %s", w.Name, quote(in.Name))
		} else if !is {
			out[in.Name] = in.Default
		}
	}
	return out
}

// spread returns the jobs of a called workflow instead of the call. Those that need none of their own
// need what the call needs.
func (p *jobParser) spread(call Job) []Job {
	call.Group.Needs = call.Needs
	var out []Job
	for _, j := range p.calls.jobs {
		j.At = cmp.Or(j.At, j.Pos)
		j.Pos, j.Of, j.Name = call.Pos, call.Name, call.Group.Prefix+j.Name
		p.checkName(RuleJob, "job", j.Name, call.Pos)
		j.Group = call.Group.around(j.Group)
		if len(j.Needs) == 0 {
			j.Needs = call.Needs
		} else {
			j.Needs, j.Aggregates = prefixed(call.Group.Prefix, j.Needs), prefixedAggregates(call.Group.Prefix, j.Aggregates)
		}
		out = append(out, j)
	}
	return out
}

// around returns inner groups inside g.
func (g *Group) around(inner *Group) *Group {
	if inner == nil {
		return g
	}
	out := *inner
	out.Prefix, out.Needs, out.Parent = g.Prefix+inner.Prefix, prefixed(g.Prefix, inner.Needs), g.around(inner.Parent)
	out.Aggregates = prefixedAggregates(g.Prefix, inner.Aggregates)
	return &out
}

// Aggregate is a needed call or matrix job: its name in the file, and the jobs that replace it.
type Aggregate struct {
	Name string
	Jobs []string
	Call bool
}

func prefixedAggregates(prefix string, all []Aggregate) []Aggregate {
	var out []Aggregate
	for _, aggregate := range all {
		out = append(out, Aggregate{prefix + aggregate.Name, prefixed(prefix, aggregate.Jobs), aggregate.Call})
	}
	return out
}

func prefixed(prefix string, names []string) []string {
	var out []string
	for _, name := range names {
		out = append(out, prefix+name)
	}
	return out
}
