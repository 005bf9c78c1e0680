package capability

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/pattern"
	"github.com/assent-dev/assent/engine/base/strictyaml"
)

// Suite is a tests.yaml: cases that are added and never changed.
type Suite struct {
	// File is the path of the suite; empty if there is none.
	File  string
	Cases []Case
}

// Case is one test.
type Case struct {
	Name  string
	Input any // the argument; nil calls without one
	// Expect holds all conditions on the answer.
	Expect   Expect
	Tags     []string
	Weight   float64 // 1 when not given
	Required bool    // true when not given
	Timeout  Duration
	Reason   string
	// Existing: the case tests existing behaviour, so it passes on the version in force.
	// Any other new case must fail there.
	Existing bool
	Pos      diag.Pos
	// canonical is the form for comparing two versions of a case.
	canonical string
}

// TagSmoke marks a case that runs before its capability is linked.
const TagSmoke = "smoke"

// HasTag reports whether the case carries tag.
func (c Case) HasTag(tag string) bool { return slices.Contains(c.Tags, tag) }

// Covers returns the points, such as edge or security, that a case of its own covers. A case covers one point, the first
// of its tags that it can show; of cases with the same input and expectation, one counts, and none of those in others.
// Else a single case with all tags would cover everything.
func (s Suite) Covers(points []string, code bool, others ...Case) []string {
	by, counted := map[string]bool{}, map[string]bool{}
	for _, c := range others {
		counted[c.asked()] = true
	}
	for _, c := range s.Cases {
		same := c.asked()
		shown := slices.DeleteFunc(slices.Clone(c.Tags), func(tag string) bool { return !slices.Contains(points, tag) || !c.shows(tag, code) })
		//defence:a-case-covers-one-point
		if counted[same] {
			shown = nil
		} else if len(shown) > 1 {
			shown = shown[:1]
		}
		for _, tag := range shown {
			by[tag], counted[same] = true, true
		}
	}
	return slices.DeleteFunc(slices.Clone(points), func(point string) bool { return !by[point] })
}

// asked is the input and the expectation of a case, for comparison.
func (c Case) asked() string { return Case{Input: c.Input, Expect: c.Expect}.canon() }

// Without returns the cases whose input and expectation none of the other suite has.
func (s Suite) Without(other Suite) []Case {
	known := map[string]bool{}
	for _, c := range other.Cases {
		known[c.asked()] = true
	}
	return slices.DeleteFunc(slices.Clone(s.Cases), func(c Case) bool { return known[c.asked()] })
}

// shows reports whether the case can show a point that it has as a tag. Of a capability with code, happy needs an
// answer, error a failure and performance a timeout.
func (c Case) shows(point string, code bool) bool {
	fails := c.Expect.Fails || c.Expect.HasExit && c.Expect.Exit != 0
	switch {
	case code && point == "happy":
		return !fails
	case code && point == "error":
		return fails
	}
	return !code || point != "performance" || c.Timeout > 0
}

// caseFile is the written form of a case.
type caseFile struct {
	Name     string          `yaml:"name"`
	Input    any             `yaml:"input"`
	Expect   strictyaml.Node `yaml:"expect"`
	Tags     []string        `yaml:"tags"`
	Weight   *float64        `yaml:"weight"`
	Required *bool           `yaml:"required"`
	Timeout  Duration        `yaml:"timeout"`
	Reason   string          `yaml:"reason"`
	Existing bool            `yaml:"existing"`
}

// ParseSuite reads a tests.yaml strictly: named cases, each with an expectation that some
// answers fail.
func ParseSuite(file string, src []byte) (Suite, diag.List) {
	s := Suite{File: file}
	doc, out := strictyaml.Parse(file, src, 1, strictyaml.DefaultLimits())
	if out.HasErrors() {
		return s, out
	}
	var read struct {
		Cases []caseFile `yaml:"cases"`
	}
	doc.Decode(&read, &out)
	if len(read.Cases) == 0 && !out.HasErrors() {
		out.Errorf(RuleSuiteEmpty, doc.Pos("cases"), "add a case, or remove the file", "the suite has no cases")
	}
	seen, patterns := map[string]int{}, &pattern.Budget{}
	for i, c := range read.Cases {
		node := doc.Root().Get("cases").Index(i)
		made := c.build(node, patterns, &out)
		if first, twice := seen[made.Name]; twice {
			out.Errorf(RuleSuiteCase, node.Pos(), "give it another name", "case %d is called %q as well", first+1, clip(made.Name))
			continue
		}
		seen[made.Name] = i
		s.Cases = append(s.Cases, made)
	}
	return s, out
}

func (c caseFile) build(node strictyaml.Node, patterns *pattern.Budget, out *diag.List) Case {
	pos := node.Pos()
	made := Case{
		Name: c.Name, Input: c.Input, Tags: c.Tags, Weight: 1, Required: true,
		Timeout: c.Timeout, Reason: c.Reason, Existing: c.Existing, Pos: pos,
	}
	if strings.TrimSpace(c.Name) == "" || len(c.Name) > maxText {
		out.Errorf(RuleSuiteCase, pos, "add name: with what the case shows", "the case has no name, or one longer than %d bytes", maxText)
	}
	for _, tag := range c.Tags {
		if !IsTag(tag) {
			out.Errorf(RuleSuiteCase, node.Get("tags").Pos(), "write lower-case words such as smoke", "tag %q is no lower-case word", clip(tag))
		}
	}
	if c.Weight != nil {
		made.Weight = *c.Weight
		if made.Weight <= 0 || made.Weight > 1000 {
			out.Errorf(RuleSuiteCase, node.Get("weight").Pos(), "write a number above 0, usually 1.0", "the weight is not between 0 and 1000")
		}
	}
	if c.Required != nil {
		made.Required = *c.Required
	}
	made.Expect = parseExpect(c.Expect, pos, patterns, out)
	made.canonical = made.canon()
	return made
}

// canon renders the full meaning of the case: two spellings of one case are equal, any
// other change differs.
func (c Case) canon() string {
	text, err := json.Marshal(struct {
		Name, Reason string
		Input        any
		Expect       map[string]any
		Tags         []string
		Weight       float64
		Required     bool
		Timeout      Duration
		Existing     bool
	}{c.Name, c.Reason, c.Input, c.Expect.raw, c.Tags, c.Weight, c.Required, c.Timeout, c.Existing})
	if err != nil { // strict YAML decodes to values that JSON can hold
		return fmt.Sprint(c.Input, c.Expect.raw, err)
	}
	return string(text)
}

// CompareSuites reports cases of base that are changed or missing in head.
func CompareSuites(base, head Suite) diag.List {
	var out diag.List
	now := make(map[string]Case, len(head.Cases))
	for _, c := range head.Cases {
		now[c.Name] = c
	}
	for _, was := range base.Cases {
		is, there := now[was.Name]
		switch {
		case !there:
			file := head.File
			if file == "" {
				file = base.File
			}
			out.Errorf(RuleSuiteAppend, diag.Pos{File: file}, "put the case back; add a new one beside it if it is wrong",
				"case %q was removed", clip(was.Name))
		case is.canonical != was.canonical:
			out.Errorf(RuleSuiteAppend, is.Pos, "restore the case as it was and add a new one beside it",
				"case %q was changed", clip(was.Name))
		}
	}
	return out
}
