package workflow

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/diag"
	"github.com/assent-dev/assent/engine/names"
	"github.com/assent-dev/assent/engine/strictyaml"
)

// rules are what the shell tells about itself.
type rules struct {
	actions       []string
	parseSchedule func(string) error
}

// parser reads one file and collects what is wrong with it.
type parser struct {
	rules
	doc   *strictyaml.Doc
	diags diag.List
}

// maxJobs bounds the work that one file can ask for, here and when it runs.
const maxJobs = 100

// later are keys of jobs that hand work to agents. Accepting them before they
// do anything would let a gate look closed that is not there.
var later = []string{"agent", "gate", "if", "run", "task"}

func (p *parser) workflow(file string) Workflow {
	w := Workflow{Path: file}
	root := p.doc.Root()
	if !p.mapping(root, "a workflow") {
		return w
	}
	p.keys(root, []string{"name", "on", "jobs"})
	w.Pos = p.doc.ValuePos("name")
	w.Name = p.name(root.Get("name"))
	w.On = p.triggers(root.Get("on"))
	w.Jobs = p.jobs(root.Get("jobs"))
	return w
}

func (p *parser) name(n strictyaml.Node) string {
	if n.Kind() == strictyaml.Absent {
		p.diags.Errorf(RuleName, p.doc.Pos(), "add a line such as name: validate", "the workflow has no name")
		return ""
	}
	name, ok := p.text(n, "name")
	if ok {
		p.checkName(RuleName, "workflow", name, n.Pos())
	}
	return name
}

func (p *parser) checkName(rule, what, name string, pos diag.Pos) {
	if !names.IsName(name) {
		p.diags.Errorf(rule, pos, "use "+names.Suggest(name),
			"%s name %s is not lower-case letters, digits and single '-' between them (1 to %d characters)", what, quote(name), names.MaxName)
	}
}

func (p *parser) jobs(n strictyaml.Node) []Job {
	if n.Kind() == strictyaml.Absent || n.Kind() == strictyaml.Null {
		p.diags.Errorf(RuleJob, p.doc.Pos("jobs"), "add jobs: with at least one job that uses an action", "the workflow has no jobs")
		return nil
	}
	if !p.mapping(n, "jobs") {
		return nil
	}
	if n.Len() > maxJobs {
		p.diags.Errorf(RuleJob, n.Pos(), "split it into several workflows", "%d jobs, more than the %d allowed", n.Len(), maxJobs)
		return nil
	}
	if n.Len() == 0 {
		p.diags.Errorf(RuleJob, n.Pos(), "add a job that uses one of "+strings.Join(p.actions, ", "), "the workflow has no jobs")
	}
	var jobs []Job
	for i := range n.Len() {
		key, value := n.Entry(i)
		p.checkName(RuleJob, "job", key.Key(), key.Pos())
		jobs = append(jobs, p.job(key, value))
	}
	return p.order(n, jobs)
}

func (p *parser) job(key, n strictyaml.Node) Job {
	j := Job{Name: key.Key(), Pos: key.Pos()}
	if !p.mapping(n, "a job") {
		return j
	}
	p.keys(n, []string{"uses", "needs"})
	uses := n.Get("uses")
	if uses.Kind() == strictyaml.Absent {
		p.diags.Errorf(RuleJob, j.Pos, "add uses: with one of "+strings.Join(p.actions, ", "), "job %s uses no action", quote(j.Name))
	} else if action, ok := p.text(uses, "uses"); ok {
		j.Uses = action
		p.checkAction(action, uses.Pos())
	}
	j.Needs = p.needs(n.Get("needs"))
	return j
}

func (p *parser) checkAction(action string, pos diag.Pos) {
	if !slices.Contains(p.actions, action) {
		p.diags.Errorf(RuleAction, pos, suggest(action, p.actions, "use one of "), "there is no action %s", quote(action))
	}
}

// needs reads one name or a list of names.
func (p *parser) needs(n strictyaml.Node) []string {
	var out []string
	switch n.Kind() {
	case strictyaml.Absent:
	case strictyaml.Sequence:
		if n.Len() > maxJobs {
			p.diags.Errorf(RuleNeeds, n.Pos(), "name each needed job once", "%d needs, more than there can be jobs", n.Len())
			return nil
		}
		for i := range n.Len() {
			if name, ok := p.text(n.Index(i), "needs"); ok {
				out = append(out, name)
			}
		}
	default:
		if name, ok := p.text(n, "needs"); ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// keys reports every key of n that the format does not have.
func (p *parser) keys(n strictyaml.Node, known []string) {
	for i := range n.Len() {
		key, _ := n.Entry(i)
		switch name := key.Key(); {
		case slices.Contains(known, name):
		case slices.Contains(later, name):
			p.diags.Errorf(RuleUnknownKey, key.Pos(), "remove the key; write uses: with one of "+strings.Join(p.actions, ", "),
				"%s belongs to jobs that are delegated to agents, and this version carries out built-in actions only", quote(name))
		default:
			p.diags.Errorf(RuleUnknownKey, key.Pos(), suggest(name, known, "remove it; the keys here are "), "unknown key %s", quote(name))
		}
	}
}

func (p *parser) mapping(n strictyaml.Node, what string) bool {
	if n.Kind() == strictyaml.Mapping {
		return true
	}
	p.diags.Errorf(RuleShape, n.Pos(), "write it as key: value lines", "%s must be a mapping, not %s", what, n.Kind())
	return false
}

// text reads a scalar that every reader of YAML takes for text.
func (p *parser) text(n strictyaml.Node, field string) (string, bool) {
	var ds diag.List
	var s string
	n.Decode(&s, &ds)
	for _, d := range ds {
		d.Rule, d.Message = RuleShape, field+": "+d.Message
		p.diags.Add(d)
	}
	return s, len(ds) == 0
}

func suggest(name string, known []string, otherwise string) string {
	if near := strictyaml.Nearest(name, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return otherwise + strings.Join(known, ", ")
}

// quote shows untrusted text in a message, escaped and not too long.
func quote(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return fmt.Sprintf("%q", s)
}
