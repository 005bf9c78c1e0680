package policy

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/pattern"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/gaps"
)

type rawGaps struct {
	Enabled      bool     `yaml:"enabled"`
	PreferSkills bool     `yaml:"prefer_skills"`
	Language     string   `yaml:"mcp_language"`
	Failures     int      `yaml:"failures"`
	Window       int      `yaml:"window"`
	Patterns     []rawGap `yaml:"patterns"`
}

// rawGap is a pattern and the gap that it is a sign of.
type rawGap struct {
	Match          string `yaml:"match"`
	In             string `yaml:"in"`
	Type           string `yaml:"type"`
	Name           string `yaml:"name"`
	Purpose        string `yaml:"purpose"`
	Trigger        string `yaml:"trigger"`
	APIHint        string `yaml:"api_hint"`
	Specialization string `yaml:"specialization"`
}

// loadGaps reads gaps.yaml. A workspace needs none, so its absence is no warning. One that cannot be read starts no runs.
func loadGaps(v tree.View, ds *diag.List) gaps.Rules {
	defaults := gaps.Rules{Failures: gaps.DefaultFailures, Window: gaps.DefaultWindow, Language: capability.TypeScript}
	if _, err := v.Lookup(GapsFile); errors.Is(err, fs.ErrNotExist) {
		return defaults
	}
	defaults.Off = true
	return loadFile(v, GapsFile, ds, defaults, readGaps)
}

func readGaps(doc *strictyaml.Doc, ds *diag.List) gaps.Rules {
	raw := rawGaps{Enabled: true, Language: string(capability.TypeScript), Failures: gaps.DefaultFailures, Window: gaps.DefaultWindow}
	doc.Decode(&raw, ds)
	if !slices.Contains(capability.Languages(), capability.Language(raw.Language)) {
		ds.Errorf(RuleKind, doc.ValuePos("mcp_language"), "write typescript or python", "there is no template of a server in %q", raw.Language)
	}
	b := bounds{doc, ds}
	b.check("failures", float64(raw.Failures), 1, 1000)
	b.check("window", float64(raw.Window), 2, 1000)
	out := gaps.Rules{
		Off: !raw.Enabled, PreferSkills: raw.PreferSkills, Language: capability.Language(raw.Language), Failures: raw.Failures, Window: raw.Window,
	}
	if raw.Failures >= raw.Window {
		ds.Errorf(RuleRange, doc.ValuePos("failures"), "raise window, or lower failures", "%d calls never have more than %d failures", raw.Window, raw.Failures)
	}
	r := securityReader{doc, ds, &pattern.Budget{}}
	for i, p := range raw.Patterns {
		checkGap(doc, ds, i, p)
		out.Patterns = append(out.Patterns, gaps.Pattern{
			Match: r.regexp(doc.ValuePos("patterns", i, "match"), p.Match, true), In: gaps.In(p.In),
			Gap: gaps.Gap{
				Type: capability.Kind(p.Type), Name: p.Name, Purpose: p.Purpose, Trigger: p.Trigger, APIHint: p.APIHint, Specialization: p.Specialization,
			},
		})
	}
	return out
}

// maxGapText bounds the texts of a pattern's gap, in bytes.
const maxGapText = 200

// checkGap reports what is missing or too much in a pattern's gap.
func checkGap(doc *strictyaml.Doc, ds *diag.List, i int, p rawGap) {
	at := func(key string) diag.Pos { return doc.ValuePos("patterns", i, key) }
	if !slices.Contains(gaps.Parts(), gaps.In(p.In)) {
		ds.Errorf(RuleKind, at("in"), "write words, calls or errors", "the pattern looks in %q", p.In)
	}
	if !slices.Contains(capability.Kinds(), capability.Kind(p.Type)) {
		ds.Errorf(RuleKind, at("type"), "write mcp, skill, tool or agent", "there is no type %q", p.Type)
	}
	if !names.IsName(p.Name) {
		ds.Errorf(RuleName, at("name"), "name it in lower-case words joined by '-'", "%q is no name for a capability", p.Name)
	}
	for _, f := range [...]struct {
		key, text string
		of        capability.Kind // the only type with this field; empty for all types
		needed    bool
	}{
		{"purpose", p.Purpose, "", true}, {"trigger", p.Trigger, capability.KindSkill, true},
		{"specialization", p.Specialization, capability.KindAgent, true}, {"api_hint", p.APIHint, capability.KindMCP, false},
	} {
		switch others := f.of != "" && string(f.of) != p.Type; {
		case others && f.text != "":
			ds.Errorf(RuleKind, at(f.key), "remove it", "%s is only for the type %s", f.key, f.of)
		case !others && f.needed && strings.TrimSpace(f.text) == "":
			ds.Errorf(RulePattern, doc.Pos("patterns", i), "add "+f.key+": …", "the pattern has no %s", f.key)
		case len(f.text) > maxGapText:
			ds.Errorf(RuleRange, at(f.key), "shorten it", "%s has more than %d bytes", f.key, maxGapText)
		}
	}
}
