package gaps

import (
	"cmp"
	_ "embed" // absent.yaml
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/format/capability"
)

// absence is an expression by which an agent states that something is not there for it.
type absence struct {
	kind  capability.Kind
	cues  []string // each text that the expression matches has one
	re    *regexp.Regexp
	hears string // an example
}

// absences is the content of absent.yaml, which says what it means.
type absences struct {
	all    []absence
	others *regexp.Regexp
}

//go:embed absent.yaml
var absentFile []byte

var absent = sync.OnceValue(func() absences {
	out, _ := readAbsences(absentFile) // TestAbsences: the file has no error
	return out
})

func readAbsences(src []byte) (out absences, diags diag.List) {
	var file struct {
		Fragments map[string]string `yaml:"fragments"`
		Others    string            `yaml:"others"`
		Absences  []struct {
			Type        capability.Kind `yaml:"type"`
			Cues        string          `yaml:"cues"`
			Expressions []struct {
				Regexp string `yaml:"regexp"`
				Hears  string `yaml:"hears"`
			} `yaml:"expressions"`
		} `yaml:"absences"`
	}
	doc, diags := strictyaml.Parse("absent.yaml", src, 1, strictyaml.DefaultLimits())
	if !diags.HasErrors() {
		doc.Decode(&file, &diags)
	}
	pieces := []string{"\n", ""}
	for name, text := range file.Fragments {
		pieces = append(pieces, "{{"+name+"}}", text)
	}
	put := strings.NewReplacer(pieces...)
	compile := func(text string) *regexp.Regexp {
		re, err := regexp.Compile(put.Replace(put.Replace(text))) // a fragment may have fragments
		if err != nil {
			diags.Errorf("absent", diag.Pos{File: "absent.yaml"}, "correct the expression", "%v", err)
			return regexp.MustCompile(`[^\s\S]`) // matches nothing
		}
		return re
	}
	out.others = compile(file.Others)
	for _, a := range file.Absences {
		for _, e := range a.Expressions {
			out.all = append(out.all, absence{a.Type, strings.Split(put.Replace(a.Cues), ","), compile(e.Regexp), e.Hears})
		}
	}
	return out, diags
}

// absentIn returns the things whose absence a sentence states, one of each expression. earlier has the sentences before.
func absentIn(s sentence, earlier []sentence) (out []Gap) {
	if !hasAny(s.masked, "no", "n't", "n’t", "lack", "want", "without", "unknown", "blank", "unfamiliar", "neither", "never", "out of", "closed", "beyond", "patchy", "absent", "missing", "needing") ||
		heard().blocked.MatchString(s.masked) {
		return nil
	}
	for _, a := range absent().all {
		if !hasAny(s.masked, a.cues...) {
			continue
		}
		m := a.re.FindStringSubmatchIndex(s.masked)
		if m == nil || absent().others.MatchString(s.masked[:m[1]]) {
			continue
		}
		thing := ""
		for i := 2; i < len(m) && thing == ""; i += 2 {
			if m[i] >= 0 {
				thing = strings.TrimSpace(s.text[m[i]:m[i+1]])
			}
		}
		if a.kind == capability.KindMCP && (slug(thing, 3) == "" || isPronoun(thing)) {
			thing = serviceBefore(s.text[:m[0]], earlier)
		}
		g := Gap{Type: a.kind, Name: slug(thing, 3), Purpose: plain(clause(s.text[m[0]:]))}
		if isPronoun(thing) {
			if a.kind != capability.KindTool {
				continue
			}
			g.Name = "" // a program that a call missed
		} else if g.Name == "" {
			continue
		}
		g.Purpose = plain(cmp.Or(thing+": "+g.Purpose, g.Purpose))
		switch a.kind {
		case capability.KindSkill:
			g.Trigger = plain("the task is: " + thing)
		case capability.KindAgent:
			g.Specialization = plain(thing)
		}
		if !slices.ContainsFunc(out, func(o Gap) bool { return covers(o.Name, g.Name) }) {
			out = append(out, g)
		}
	}
	return out
}

// maxSince is how many calls lie between a call that missed a program and the words about it.
const maxSince = 10

// nameMissing adds to a tool that the agent's words lack the programs that its calls missed before.
func (h *Hearer) nameMissing(g *Gap) {
	if g.Type != capability.KindTool {
		return
	}
	for _, l := range h.lacks {
		if h.calls-l.call < maxSince && !strings.Contains(strings.ToLower(g.Purpose), strings.ToLower(l.name)) {
			g.Purpose = plain(g.Purpose + "; not installed: " + l.name)
			g.Name = cmp.Or(g.Name, slug(l.name, 3))
		}
	}
}

// isPronoun reports whether a word names nothing by itself.
func isPronoun(word string) bool {
	words := strings.Fields(strings.ToLower(word))
	if len(words) == 0 {
		return true
	}
	switch words[len(words)-1] {
	case "account", "access":
		return len(words) == 1
	case "but", "and", "as", "so", "it", "that", "this", "they", "them", "one", "none", "which", "i", "you", "nothing", "something", "there", "what", "who", "way",
		"things", "information", "context", "detail", "details", "idea", "opinion", "memory", "preference", "problem", "problems", "reason", "reasons", "evidence",
		"example", "examples", "choice", "clue", "doubt", "objection", "concern", "concerns", "time", "trouble", "issue", "issues", "error", "errors", "more", "plans":
		return true
	}
	return false
}

// serviceBefore returns the nearest name, such as LinkedIn, before a place in a message.
func serviceBefore(text string, earlier []sentence) string {
	for _, t := range slices.Backward(slices.Concat(earlier[max(0, len(earlier)-2):], []sentence{{text: text}})) {
		words := strings.Fields(t.text)
		for i, w := range slices.Backward(words) {
			if w = strings.Trim(w, ".,;:!?()\"'`"); i > 0 && isProper(w) && w != "I" && len(w) > 2 {
				return w
			}
		}
	}
	return ""
}
