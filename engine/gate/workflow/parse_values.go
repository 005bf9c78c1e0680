package workflow

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/base/condition"
	"github.com/assent-dev/assent/engine/base/strictyaml"
)

var envShape, outputShape, groupShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,63}$`) }),
	sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`) }),
	sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_./ {}-]{1,100}$`) })

// readEnv reads variables of scripts.
func (p *reader) readEnv(n strictyaml.Node) map[string]string {
	if n.Kind() == strictyaml.Absent || !p.mapping(n, "env") {
		return nil
	}
	if n.Len() > maxList {
		p.diags.Errorf(RuleRun, n.Pos(), "use fewer", "%d variables, more than the %d allowed", n.Len(), maxList)
		return nil
	}
	out := map[string]string{}
	for i := range n.Len() {
		key, value := n.Entry(i)
		name := key.Key()
		if !envShape().MatchString(name) || strings.HasPrefix(name, "ASSENT_") || slices.Contains([]string{"PATH", "HOME", "TMPDIR", "LANG"}, name) {
			p.diags.Errorf(RuleRun, key.Pos(), "use capitals, digits and '_'; ASSENT_…, PATH, HOME, TMPDIR and LANG are the engine's", "%s is no name of a variable", quote(name))
		}
		text, ok := p.text(value, "env")
		if ok && (len(text) > MaxInput || strings.ContainsRune(text, 0)) {
			p.diags.Errorf(RuleRun, value.Pos(), "shorten it", "a variable must be text of at most %d bytes", MaxInput)
		}
		if p.expressionless(value, text, "") {
			p.unfilled(value, text, "remove it, and write $ASSENT_INPUT_NAME in the script for the input name; docs/workflows.md lists the variables")
		}
		out[name] = text
	}
	return out
}

// outputs reads the declared values of a script.
func (p *reader) outputs(n strictyaml.Node) []Output {
	if n.Kind() == strictyaml.Absent || !p.mapping(n, "outputs") {
		return nil
	}
	if n.Len() > maxList {
		p.diags.Errorf(RuleRun, n.Pos(), "use fewer", "%d outputs, more than the %d allowed", n.Len(), maxList)
		return nil
	}
	var out []Output
	for i := range n.Len() {
		key, value := n.Entry(i)
		o := Output{Name: key.Key()}
		if !outputShape().MatchString(o.Name) || o.Name == "outcome" {
			p.diags.Errorf(RuleRun, key.Pos(), "use lower-case letters, digits and '_'; outcome is the engine's", "%s is no name of an output", quote(o.Name))
		}
		var ok bool
		if o.Type, ok = p.text(value, "outputs"); ok && !slices.Contains(OutputTypes(), o.Type) {
			p.diags.Errorf(RuleRun, value.Pos(), suggest(o.Type, OutputTypes(), "use one of "), "there is no type %s", quote(o.Type))
		}
		out = append(out, o)
	}
	return out
}

// OutputTypes are the types of outputs.
func OutputTypes() []string { return []string{"string", "number", "boolean"} }

// facts are the outputs as facts of conditions.
func (s *Script) facts() []condition.Fact {
	var out []condition.Fact
	for _, o := range s.Outputs {
		of := map[string]condition.Type{"string": "string", "number": "double", "boolean": "bool"}[o.Type]
		out = append(out, condition.Fact{Name: o.Name, Type: of, Doc: "Output of the script."})
	}
	return out
}

// concurrency reads a group: its name alone, or with cancel.
func (p *parser) concurrency(n strictyaml.Node, w Workflow) (c Concurrency) {
	group := n
	switch n.Kind() {
	case strictyaml.Absent:
		return c
	case strictyaml.Mapping:
		p.keys(n, []string{"group", "cancel"})
		if at := n.Get("cancel"); at.Kind() != strictyaml.Absent {
			p.decode(at, "cancel", &c.Cancel)
		}
		group = n.Get("group")
	}
	text, ok := p.text(group, "concurrency")
	if c.Group = text; !ok || !p.expressionless(group, text, "write checks-{{proposal}}, or {{NAME}} for an input") {
		return c
	}
	if !groupShape().MatchString(c.Group) {
		p.diags.Errorf(RuleJob, n.Pos(), "write a word, such as deploy or checks-{{proposal}}", "%s is no name of a group", quote(c.Group))
	}
	for _, m := range placeholder().FindAllStringSubmatch(c.Group, -1) {
		name := strings.TrimSpace(m[1])
		if name != GivenProposal && !slices.ContainsFunc(w.Inputs, func(in Input) bool { return in.Name == name }) {
			p.diags.Errorf(RuleJob, n.Pos(), "name an input, or proposal", "nothing is called %s", quote(name))
		}
	}
	return c
}

// expand returns a job for each combination of its matrix; one without a matrix is returned as it
// is.
func (p *jobParser) expand(j Job, n strictyaml.Node) []Job {
	if j.Group != nil { // a call that was read just before
		return p.spread(j)
	}
	at := n.Get("matrix")
	if j.Script == nil || at.Kind() == strictyaml.Absent || !p.mapping(at, "matrix") {
		return []Job{j}
	}
	all := []map[string]string{{}}
	names := []string{""}
	known := len(p.diags)
	if at.Len() == 0 {
		p.diags.Errorf(RuleRun, at.Pos(), "write names with lists of words, such as matrix: {os: [linux, mac]}, or remove it", "the matrix is empty")
	}
	for i := range at.Len() {
		key, list := at.Entry(i)
		if !outputShape().MatchString(key.Key()) {
			p.diags.Errorf(RuleRun, key.Pos(), "use lower-case letters, digits and '_'", "%s is no name in a matrix", quote(key.Key()))
		}
		if key.Key() == "include" || key.Key() == "exclude" {
			p.diags.Errorf(RuleRun, key.Pos(), "write a list of words for each name, and a job of its own for a combination that is an exception", "a matrix has no %s", key.Key())
			return []Job{j}
		}
		values := p.listed(list, "matrix", "lower-case words of letters, digits, '.' and '-'", matrixValue)
		if len(values) == 0 {
			if list.Len() == 0 { // unusable ones were refused
				p.diags.Errorf(RuleRun, list.Pos(), "write a list of words", "%s has no values", quote(key.Key()))
			}
			return []Job{j}
		}
		if len(all)*len(values) > maxJobs {
			p.diags.Errorf(RuleRun, at.Pos(), "use fewer values", "more than %d combinations", maxJobs)
			return []Job{j}
		}
		var next []map[string]string
		var nextNames []string
		for k, have := range all {
			for _, v := range values {
				with := maps.Clone(have)
				with[key.Key()] = v
				next, nextNames = append(next, with), append(nextNames, names[k]+"-"+strings.ReplaceAll(v, ".", "-"))
			}
		}
		all, names = next, nextNames
	}
	if len(p.diags) > known { // names of unusable values would be unusable
		return []Job{j}
	}
	var out []Job
	for i, values := range all {
		one := j
		one.Of, one.Name, one.Matrix = j.Name, j.Name+names[i], values
		p.checkName(RuleJob, "job", one.Name, at.Pos())
		out = append(out, one)
	}
	return out
}

var matrixShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9]+([.-][a-z0-9]+)*$`) })

func matrixValue(s string) bool { return len(s) <= 40 && matrixShape().MatchString(s) }

// needInstances has jobs that need one with a matrix or a call need all jobs in its place, and refuses two
// jobs of one name.
func (p *reader) needInstances(jobs []Job) []Job {
	instances, seen := map[string]*Aggregate{}, map[string]bool{}
	for _, j := range jobs {
		if j.Of != "" && instances[j.Of] == nil {
			instances[j.Of] = &Aggregate{Name: j.Of, Call: j.Group != nil}
		}
		if j.Of != "" {
			instances[j.Of].Jobs = append(instances[j.Of].Jobs, j.Name)
		}
	}
	for _, j := range jobs {
		if seen[j.Name] || instances[j.Name] != nil {
			p.diags.Errorf(RuleJob, j.Pos, "rename a job, or change the values of its matrix", "two jobs would be called %s", quote(j.Name))
		}
		seen[j.Name] = true
	}
	all := func(named []string) (needs []string, aggregates []Aggregate) {
		for _, need := range named {
			if aggregate := instances[need]; aggregate != nil {
				needs, aggregates = append(needs, aggregate.Jobs...), append(aggregates, *aggregate)
			} else {
				needs = append(needs, need)
			}
		}
		slices.Sort(needs)
		return slices.Compact(needs), aggregates
	}
	read := map[*Group]bool{}
	for i, j := range jobs {
		var aggregates []Aggregate
		jobs[i].Needs, aggregates = all(j.Needs)
		jobs[i].Aggregates = slices.Concat(j.Aggregates, aggregates)
		if groups := j.Groups(); len(groups) > 0 && !read[groups[0]] {
			read[groups[0]] = true
			groups[0].Needs, groups[0].Aggregates = all(groups[0].Needs)
		}
	}
	return jobs
}

// noEffect refuses keys of a workflow that would change nothing.
func (p *parser) noEffect(root strictyaml.Node, w Workflow) {
	scripts := slices.ContainsFunc(w.Jobs, func(j Job) bool { return j.Script != nil })
	if at := root.Get("env"); at.Kind() != strictyaml.Absent && !scripts {
		p.diags.Errorf(RuleRun, at.Pos(), "remove it, or add a job with run:", "no job runs a script that would have these variables")
	}
	if at := root.Get("fail-fast"); at.Kind() != strictyaml.Absent && w.Direct() {
		p.diags.Errorf(RuleJob, at.Pos(), "remove it", "the workflow starts no run that could fail")
	}
}
