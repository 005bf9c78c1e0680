package scan

import (
	"bytes"
	"embed"
	"regexp"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
)

// files hold the rules, one file a layer, and the lists that several of them share.
//
//go:embed rules/*.yaml
var files embed.FS

// ruleFile is a file below rules.
type ruleFile struct {
	Layer Layer      `yaml:"layer"`
	Rules []ruleData `yaml:"rules"`
}

// ruleData is a rule as its file has it. Check and Items name functions.
type ruleData struct {
	ID       string        `yaml:"id"`
	Severity diag.Severity `yaml:"severity"`
	Summary  string        `yaml:"summary"`
	Why      string        `yaml:"why"`
	Fix      string        `yaml:"fix"`
	Grows    bool          `yaml:"grows"`
	Consent  bool          `yaml:"consent"`
	Check    string        `yaml:"check"`
	Items    string        `yaml:"items"`
	Patterns []patternData `yaml:"patterns"`
	// Bad and Good are examples that draw the rule and that do not: a body of a
	// SKILL.md, or a txtar archive. docs/checks.md shows them.
	Bad  []string `yaml:"bad"`
	Good []string `yaml:"good"`
}

// patternData is a pattern as written in its file. A regexp is used as it is; a phrase may span
// several lines of the scanned text. Both are written without the line breaks.
type patternData struct {
	Near       []string      `yaml:"near"`
	Lists      []string      `yaml:"lists"`
	Regexp     string        `yaml:"regexp"`
	Phrase     string        `yaml:"phrase"`
	Remark     bool          `yaml:"remark"`
	In         string        `yaml:"in"`
	Severity   diag.Severity `yaml:"severity"`
	Confidence float64       `yaml:"confidence"`
	Declared   bool          `yaml:"declared"`
	Message    string        `yaml:"message"`
	Judge      string        `yaml:"judge"`
}

// sharedData are pieces of expressions and lists of words that several patterns use.
type sharedData struct {
	Fragments map[string]string   `yaml:"fragments"`
	Lists     map[string][]string `yaml:"lists"`
}

// dataset holds the rules as written in their files, in the order of docs/checks.md, and
// the errors of the files. Every scan reports these errors, so that no scan passes with
// a rule missing.
type dataset struct {
	files  []ruleFile
	shared sharedData
	diags  diag.List
	// examples says that Bad and Good are read.
	examples bool
}

// rules reads the files below rules on first use: a command that scans nothing does not
// pay for it.
//
//nolint:gochecknoglobals // a constant that is too dear to build at start.
var rules = sync.OnceValue(func() *dataset { return load(false) })

// load reads all files, their examples only if asked for: they are a third of the text,
// and a scan needs none.
func load(examples bool) *dataset {
	s := &dataset{examples: examples}
	s.read("shared", &s.shared)
	for _, name := range []string{"readable", "characters", "hidden", "instructions", "code", "packages", "declared", "prerequisites", "secrets", "changes"} {
		var f ruleFile
		s.read(name, &f)
		s.files = append(s.files, f)
	}
	return s
}

func (s *dataset) read(name string, into any) {
	name = "rules/" + name + ".yaml"
	text, err := files.ReadFile(name)
	if err != nil {
		s.wrong(name, err.Error())
		return
	}
	if !s.examples {
		text = withoutExamples(text)
	}
	doc, ds := strictyaml.Parse(name, text, 1, strictyaml.DefaultLimits())
	if s.diags.Add(ds...); !ds.HasErrors() {
		doc.Decode(into, &s.diags)
	}
}

// withoutExamples blanks the lines of bad and good out.
func withoutExamples(text []byte) []byte {
	const depth = "    " // of the keys of a rule
	out, within := make([]byte, 0, len(text)), false
	for line := range bytes.Lines(text) {
		if key, ok := bytes.CutPrefix(line, []byte(depth)); !ok && len(line) > 1 || ok && key[0] != ' ' {
			within = bytes.Equal(key, []byte("bad:\n")) || bytes.Equal(key, []byte("good:\n"))
		}
		if within {
			line = []byte("\n")
		}
		out = append(out, line...)
	}
	return out
}

func (s *dataset) wrong(where, message string) {
	s.diags.Errorf("rules", diag.Pos{File: where}, "correct the file below rules", "%s", message)
}

// list returns the words of a list.
func (s *dataset) list(name string) []string {
	if words, ok := s.shared.Lists[name]; ok {
		return words
	}
	if words, ok := functions().lists[name]; ok {
		return words()
	}
	s.wrong(name, "no such list")
	return nil
}

// table returns every rule that judges a file by itself, in the order of docs/checks.md.
func (s *dataset) table() []rule {
	var out []rule
	for _, f := range s.files {
		for i := range f.Rules {
			if r := &f.Rules[i]; f.Layer != Delta {
				out = append(out, s.rule(r, f.Layer))
			}
		}
	}
	return out
}

func (s *dataset) rule(r *ruleData, layer Layer) rule {
	out := rule{RuleInfo: r.info(layer), grows: r.Grows, consent: r.Consent}
	if r.Check != "" {
		if out.check = functions().checks[r.Check]; out.check == nil {
			s.wrong(r.ID, "no such check: "+r.Check)
		}
	}
	for i := range r.Patterns {
		out.patterns = append(out.patterns, s.pattern(r.ID, &r.Patterns[i]))
	}
	return out
}

// deltas returns every rule that compares a change with the state before it.
func (s *dataset) deltas() []deltaRule {
	var out []deltaRule
	for _, f := range s.files {
		for i := range f.Rules {
			if r := &f.Rules[i]; f.Layer == Delta {
				out = append(out, deltaRule{r.info(f.Layer), functions().items[r.Items]})
			}
		}
	}
	return out
}

func (r *ruleData) info(layer Layer) RuleInfo {
	return RuleInfo{ID: r.ID, Layer: layer, Severity: r.Severity, Summary: r.Summary, Why: r.Why, Fix: r.Fix}
}

func (s *dataset) pattern(id string, p *patternData) pattern {
	out := pattern{near: p.Near, severity: p.Severity, confidence: p.Confidence, declared: p.Declared, message: p.Message, remark: p.Remark}
	for _, name := range p.Lists {
		out.near = append(out.near[:len(out.near):len(out.near)], s.list(name)...)
	}
	if out.re = expr(s.expand(p.Regexp + p.Phrase)); p.Phrase != "" {
		out.re.words = true
	}
	if p.Remark {
		out.completeRemark(p.In)
	}
	for _, name := range strings.Fields(p.In) {
		in, ok := places[name]
		if out.in |= in; !ok {
			s.wrong(id, "no such place: "+name)
		}
	}
	if p.Judge != "" {
		if out.judge = functions().judges[p.Judge]; out.judge == nil {
			s.wrong(id, "no such judge: "+p.Judge)
		}
	}
	return out
}

// places are the names of places in the files.
//
//nolint:gochecknoglobals // a constant that Go has no literal for.
var places = map[string]place{
	"prose": prose, "plain": plain, "shell": shell, "python": python, "script": script, "data": data, "hidden": hidden,
	"code": code, "spoken": spoken, "anywhere": anywhere, "commands": shellLike,
}

// expand puts the pieces of an expression in, and its lines together.
func (s *dataset) expand(source string) string {
	source = strings.ReplaceAll(source, "\n", "")
	if !strings.Contains(source, "{{") {
		return source
	}
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(source, "{{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		var name string
		name, source, _ = strings.Cut(rest, "}}")
		name, number, counted := strings.Cut(name, " ")
		piece, ok := s.shared.Fragments[name]
		switch {
		case counted:
			piece = strings.ReplaceAll(piece, "N", number)
		case !ok:
			piece = anyOf(s.list(name))
		}
		b.WriteString(strings.ReplaceAll(piece, "\n", ""))
	}
}

// anyOf returns the expression that matches one of words.
func anyOf(words []string) string {
	parts := make([]string, len(words))
	for i, w := range words {
		parts[i] = regexp.QuoteMeta(w)
	}
	return strings.Join(parts, "|")
}
