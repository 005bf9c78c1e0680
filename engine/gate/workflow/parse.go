package workflow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/format/capability"
)

// rules are the inputs for reading any file.
type rules struct {
	parseSchedule func(string) error
	templates     map[string]template
	// load returns a workflow by name, with the depth of its own calls.
	load func(name string) (w Workflow, depth int, not *uncallable)
}

// reader reads the values of one file and collects the findings.
type reader struct {
	doc   *strictyaml.Doc
	diags diag.List
}

// parser reads one workflow: its name, events and inputs.
type parser struct {
	*reader
	rules
	calls calls
}

// jobParser reads the jobs of a workflow. They may name its inputs and the templates beside it.
type jobParser struct {
	*reader
	inputs    []Input
	templates map[string]template
	env       map[string]string // of all scripts
	load      func(name string) (w Workflow, depth int, not *uncallable)
	calls     *calls
	// unread has the jobs with errors, and "" if the inputs have some. Conditions about them cannot be checked.
	unread map[string]bool
}

// The bounds of one file: they bound the work that it can ask for, here and when it
// runs.
const (
	maxJobs   = 100
	maxInputs = 30
	maxList   = 50  // questions, patterns, words of a route
	maxText   = 500 // characters of a question, a message, the description of an input
)

func (p *parser) workflow(file string) Workflow {
	w := Workflow{Path: file}
	root := p.doc.Root()
	if !p.mapping(root, "a workflow") {
		return w
	}
	p.keys(root, []string{"name", "on", "inputs", "fail-fast", "timeout", "concurrency", "env", "jobs"})
	w.Pos = p.doc.ValuePos("name")
	w.Name = p.name(root.Get("name"))
	w.On = p.triggers(root.Get("on"))
	before := len(p.diags)
	w.Inputs = p.readInputs(root.Get("inputs"))
	unread := map[string]bool{"": len(p.diags) > before}
	p.gapFills(w)
	w.FailFast = true
	if n := root.Get("fail-fast"); n.Kind() != strictyaml.Absent {
		p.decode(n, "fail-fast", &w.FailFast)
	}
	if n := root.Get("timeout"); n.Kind() != strictyaml.Absent {
		w.Timeout = p.span(n, "timeout", 0)
	}
	w.Concurrency = p.concurrency(root.Get("concurrency"), w)
	jobs := jobParser{reader: p.reader, inputs: w.Inputs, templates: p.templates, load: p.load, calls: &p.calls, unread: unread}
	jobs.env = jobs.readEnv(root.Get("env"))
	w.Jobs = jobs.jobs(root.Get("jobs"))
	sound := !p.diags.HasErrors()
	jobs.conditions(root.Get("jobs"), w.Jobs)
	if sound {
		jobs.notBy(root.Get("jobs"), w)
		p.together(w)
		p.noEffect(root, w)
	}
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

func (p *reader) checkName(rule, what, name string, pos diag.Pos) {
	if why := names.Fault(name); why != "" {
		p.diags.Errorf(rule, pos, "use "+names.Suggest(name), "%s name %s %s", what, quote(name), why)
	}
}

func (p *jobParser) jobs(n strictyaml.Node) []Job {
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
		p.diags.Errorf(RuleJob, n.Pos(), "add a job that uses one of "+strings.Join(Actions(), ", "), "the workflow has no jobs")
	}
	var jobs []Job
	for i := range n.Len() {
		key, value := n.Entry(i)
		before := len(p.diags)
		p.checkName(RuleJob, "job", key.Key(), key.Pos())
		jobs = append(jobs, p.expand(p.job(key, value), value)...)
		p.unread[key.Key()] = len(p.diags) > before
	}
	if len(jobs) > maxJobs {
		p.diags.Errorf(RuleJob, n.Pos(), "use fewer values", "%d jobs with all combinations, more than the %d allowed", len(jobs), maxJobs)
		return nil
	}
	return p.order(n, p.needInstances(jobs))
}

// names reads one job's name or a list of them.
func (p *reader) names(n strictyaml.Node, field string) []string {
	out := p.list(n, field, maxJobs)
	slices.Sort(out)
	return slices.Compact(out)
}

// list reads one text or a list of texts.
func (p *reader) list(n strictyaml.Node, field string, most int) []string {
	var out []string
	switch n.Kind() {
	case strictyaml.Absent:
	case strictyaml.Sequence:
		if n.Len() > most {
			rule := RuleTask
			if field == "needs" || field == "not-by" {
				rule = RuleNeeds
			}
			p.diags.Errorf(rule, n.Pos(), "name each once, and fewer", "%d entries of %s, more than the %d allowed", n.Len(), field, most)
			return nil
		}
		for i := range n.Len() {
			if text, ok := p.text(n.Index(i), field); ok {
				out = append(out, text)
			}
		}
	default:
		if text, ok := p.text(n, field); ok {
			out = append(out, text)
		}
	}
	return out
}

// keys reports every key of n that the format does not have.
func (p *reader) keys(n strictyaml.Node, known []string) {
	for i := range n.Len() {
		key, _ := n.Entry(i)
		if name := key.Key(); !slices.Contains(known, name) {
			fix := github[name]
			if name == "with" && slices.Contains(known, "inputs") {
				fix = "write inputs:"
			}
			fix = cmp.Or(fix, suggest(name, known, "remove it; the keys here are "))
			p.diags.Errorf(RuleUnknownKey, key.Pos(), fix, "unknown key %s", quote(name))
		}
	}
}

func (p *reader) mapping(n strictyaml.Node, what string) bool {
	if n.Kind() == strictyaml.Mapping {
		return true
	}
	p.diags.Errorf(RuleShape, n.Pos(), "write it as key: value lines", "%s must be a mapping, not %s", what, n.Kind())
	return false
}

// text reads a scalar that every reader of YAML takes for text.
func (p *reader) text(n strictyaml.Node, field string) (string, bool) {
	var s string
	return s, p.decode(n, field, &s)
}

// short is text of at most maxText characters, on one line.
func (p *reader) short(n strictyaml.Node, field string) string {
	s, ok := p.text(n, field)
	const fix = "write plain text: expressions are not expanded here"
	if p.expressionless(n, s, fix) && field == "message" {
		p.unfilled(n, s, fix)
	}
	if ok && (len([]rune(s)) > maxText || strings.ContainsAny(s, "\r\n")) {
		p.diags.Errorf(RuleShape, n.Pos(), "shorten it", "%s must be one line of at most %d characters", field, maxText)
	}
	return s
}

// span reads a duration between a bound below and one above; absent, it is usual.
func (p *reader) span(n strictyaml.Node, field string, usual time.Duration) time.Duration {
	if n.Kind() == strictyaml.Absent {
		return usual
	}
	const least, most = time.Minute, 365 * 24 * time.Hour
	var d capability.Duration
	if p.decode(n, field, &d) && (time.Duration(d) < least || time.Duration(d) > most) {
		p.diags.Errorf(RuleTask, n.Pos(), "write it as 30m, 8h or 3d", "%s must be between a minute and a year", field)
	}
	return time.Duration(d)
}

func (p *reader) decode(n strictyaml.Node, field string, into any) bool {
	var ds diag.List
	n.Decode(into, &ds)
	for _, d := range ds {
		d.Rule, d.Message, d.Fix = RuleShape, field+": "+d.Message, cmp.Or(d.Fix, "write a number with a unit, such as 5m or 512MiB")
		p.diags.Add(d)
	}
	return len(ds) == 0
}

func suggest(name string, known []string, otherwise string) string {
	if near := strictyaml.Nearest(name, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	if len(known) == 0 {
		return "remove it"
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
