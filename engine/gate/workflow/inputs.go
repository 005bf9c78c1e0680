package workflow

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/strictyaml"
)

// Unusable is the input of a workflow that mends: why the capability in force is not called.
const Unusable = "unusable"

// GapInputs returns the inputs that a gap gives to a run.
func GapInputs() []string { return []string{"capability", "goal", "missing", "reason", Unusable} }

// Mends reports whether a gap starts the workflow for code in force that is not called, and for nothing else.
func (w Workflow) Mends() bool {
	return w.On.Gap && slices.ContainsFunc(w.Inputs, func(in Input) bool { return in.Name == Unusable })
}

var inputShape, wordPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`) }),
	sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`) })

func wordShape(s string) bool { return len(s) <= names.MaxName && wordPattern().MatchString(s) }

// readInputs reads the inputs of a run.
func (p *parser) readInputs(n strictyaml.Node) []Input {
	if n.Kind() == strictyaml.Absent || !p.mapping(n, "inputs") {
		return nil
	}
	if n.Len() > maxInputs {
		p.diags.Errorf(RuleInput, n.Pos(), "ask for fewer", "%d inputs, more than the %d allowed", n.Len(), maxInputs)
		return nil
	}
	var out []Input
	for i := range n.Len() {
		key, value := n.Entry(i)
		in := Input{Name: key.Key(), Pos: key.Pos()}
		if !inputShape().MatchString(in.Name) || slices.Contains(given(), in.Name) {
			p.diags.Errorf(RuleInput, key.Pos(), "use another word of lower-case letters, digits and '_'; "+strings.Join(given(), ", ")+" are the engine's",
				"%s is no name for an input", quote(in.Name))
		}
		if p.mapping(value, "an input") {
			p.readInput(value, &in)
		}
		out = append(out, in)
	}
	return out
}

func (p *parser) readInput(n strictyaml.Node, in *Input) {
	p.keys(n, []string{"about", "required", "default", "values", "form"})
	if about := n.Get("about"); about.Kind() != strictyaml.Absent {
		in.About = p.short(about, "about")
	}
	if required := n.Get("required"); required.Kind() != strictyaml.Absent {
		p.decode(required, "required", &in.Required)
	}
	in.Values = p.list(n.Get("values"), "values", maxList)
	for _, v := range in.Values {
		if !wordShape(v) {
			p.diags.Errorf(RuleInput, n.Get("values").Pos(), "use lower-case letters, digits and '-'", "%s is no value to choose", quote(v))
		}
	}
	if form := n.Get("form"); form.Kind() != strictyaml.Absent {
		if text, ok := p.text(form, "form"); ok && text != "name" {
			p.diags.Errorf(RuleInput, form.Pos(), "write form: name, or leave it out", "there is no form %s", quote(text))
		}
		in.IsName = true
	}
	if value := n.Get("default"); value.Kind() != strictyaml.Absent {
		in.Default = p.short(value, "default")
		if fault := in.Fault(in.Default); fault != "" {
			p.diags.Errorf(RuleInput, value.Pos(), "write one that may be given", "the default %s", fault)
		}
		if in.Required {
			p.diags.Errorf(RuleInput, value.Pos(), "remove one of the two", "what is required has no default")
		}
	}
}

// Fault says why an input cannot be a text, "" if it can.
func (i Input) Fault(text string) string {
	switch {
	case len(i.Values) > 0 && !slices.Contains(i.Values, text):
		return "is none of " + strings.Join(i.Values, ", ")
	case i.IsName && !names.IsName(text):
		return "is no name: use " + names.Suggest(text)
	case len(text) > MaxInput:
		return "is longer than 4096 bytes"
	}
	return ""
}

// MaxInput bounds the text of one input, in bytes.
const MaxInput = 4096

// gapFills makes sure that each event gives a run all that it needs.
func (p *parser) gapFills(w Workflow) {
	for _, in := range w.Inputs {
		if in.Required && (len(w.On.Proposal) > 0 || w.On.Schedule != "") {
			p.diags.Errorf(RuleInput, in.Pos, "give it a default, or start the workflow by gap: or command: alone",
				"events of proposals and schedules start the workflow and give nothing")
		} else if w.On.Gap && in.Required && !slices.Contains(GapInputs(), in.Name) {
			p.diags.Errorf(RuleInput, in.Pos, "give it a default, or remove gap: true",
				"a gap starts the workflow and gives only %s", strings.Join(GapInputs(), ", "))
		}
	}
}

func (p *jobParser) input(name string) (Input, bool) {
	i := slices.IndexFunc(p.inputs, func(in Input) bool { return in.Name == name })
	if i < 0 {
		return Input{}, false
	}
	return p.inputs[i], true
}

func (p *jobParser) inputNames() []string {
	var out []string
	for _, in := range p.inputs {
		out = append(out, in.Name)
	}
	return out
}
