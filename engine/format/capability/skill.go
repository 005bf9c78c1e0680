package capability

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/markup"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/strictyaml"
)

const (
	// MaxDescription bounds a description, in characters (agentskills.io).
	MaxDescription = 1024
	// MaxCompatibility bounds compatibility, in characters (agentskills.io).
	MaxCompatibility = 500
	// AdvisedLines bounds a body, which is loaded as a whole on every use (agentskills.io).
	AdvisedLines = 500
	// AdvisedTokens bounds the same body, a token being estimated as four bytes (agentskills.io).
	AdvisedTokens = 5000
	bytesPerToken = 4
)

// Skill is a SKILL.md in the Agent Skills format.
type Skill struct {
	Name          string            `yaml:"name"`
	Description   string            `yaml:"description"`
	License       string            `yaml:"license,omitempty"`
	Compatibility string            `yaml:"compatibility,omitempty"`
	Metadata      map[string]string `yaml:"metadata,omitempty"`
	// AllowedTools is the space-separated list as written; see Tools.
	AllowedTools string `yaml:"allowed-tools,omitempty"`
	// Body is the Markdown after the front matter.
	Body string `yaml:"-"`
	// BodyLine is the line of the file on which Body begins.
	BodyLine int `yaml:"-"`
}

// SkillKeys lists the keys of the front matter in the order of writing.
func SkillKeys() []string {
	return []string{"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
}

// Tokens estimates the tokens of the body: a quarter of its bytes.
func (s Skill) Tokens() int { return len(s.Body) / bytesPerToken }

// Tools splits AllowedTools at spaces and commas outside of parentheses: "Bash(git add:*)
// Read" names two. Commas are not in the format, but common.
func (s Skill) Tools() []string {
	depth := 0
	return strings.FieldsFunc(s.AllowedTools, func(r rune) bool {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth = max(0, depth-1)
		}
		return depth == 0 && (r == ',' || unicode.IsSpace(r))
	})
}

// ParseSkill reads a SKILL.md of a workspace strictly: exactly the six keys of the
// format, every value of its type and length. file is its path; its folder must have the
// skill's name. Despite errors, the result is as complete as the file allows.
func ParseSkill(file string, src []byte) (Skill, diag.List) {
	s, doc, out := splitSkill(file, src)
	if doc == nil {
		return s, out
	}
	doc.Decode(&s, &out)
	s.checkText(doc, &out)
	if s.Name != "" {
		folder := parentName(file)
		if folder != "" && s.Name != folder {
			out.Errorf(RuleSkillName, doc.Pos("name"), "call both "+names.Suggest(folder), "the skill is called %q and its folder %q", clip(s.Name), clip(folder))
		}
		out.Add(names.CheckCapability(s.Name, doc.Pos("name"))...)
	}
	s.advise(file, &out)
	return s, out
}

// ReadSkill reads a foreign SKILL.md. It ignores unknown keys, takes scalars as text, and
// only warns about odd names and long descriptions. Errors are left for files without
// anything to load: no front matter, broken YAML, no description.
func ReadSkill(file string, src []byte) (Skill, diag.List) {
	s, doc, out := splitSkill(file, src)
	if doc == nil {
		return s, out
	}
	var found struct {
		Name        strictyaml.Node `yaml:"name"`
		Description strictyaml.Node `yaml:"description"`
		License     strictyaml.Node `yaml:"license"`
		Compat      strictyaml.Node `yaml:"compatibility"`
		Metadata    strictyaml.Node `yaml:"metadata"`
		Tools       strictyaml.Node `yaml:"allowed-tools"`
	}
	doc.DecodeLenient(&found, &out)
	s.Name, s.Description, s.License = asText(found.Name), asText(found.Description), asText(found.License)
	s.Compatibility, s.AllowedTools = asText(found.Compat), asList(found.Tools)
	s.Metadata = asStrings(found.Metadata)
	var strict diag.List
	s.checkText(doc, &strict)
	if folder := parentName(file); s.Name != folder || !names.IsName(s.Name) {
		strict.Warnf(RuleSkillName, doc.Pos("name"), "call both "+names.Suggest(folder), "the skill is called %q and its folder %q", clip(s.Name), clip(folder))
	}
	for _, d := range strict {
		if d.Severity == diag.Error && strings.TrimSpace(s.Description) != "" {
			d.Severity = diag.Warning
		}
		out.Add(d)
	}
	return s, out
}

// FrontMatter returns all fields of a SKILL.md's front matter as plain data, including
// unknown ones.
func FrontMatter(file string, src []byte) (map[string]any, diag.List) {
	_, doc, out := splitSkill(file, src)
	if doc == nil {
		return nil, out
	}
	fields, _ := doc.Root().Value(&out).(map[string]any)
	return fields, out
}

// splitSkill separates front matter and body; if there is nothing to decode, doc is nil
// and out has an error.
func splitSkill(file string, src []byte) (s Skill, doc *strictyaml.Doc, out diag.List) {
	if i := invalidAt(src); i >= 0 {
		out.Errorf(RuleFrontMatter, diag.Pos{File: file, Line: 1 + bytes.Count(src[:i], []byte("\n"))}, "save it as UTF-8", "the file is not UTF-8")
		return s, nil, out
	}
	front, found := markup.SplitFrontMatter(src)
	for _, d := range found {
		d.File = file
		out.Add(d)
	}
	s.Body, s.BodyLine = string(src[front.BodyOffset:]), front.BodyLine
	if !front.Present {
		if !out.HasErrors() {
			out.Errorf(RuleFrontMatter, diag.Pos{File: file, Line: 1}, "start it with '---', name:, description: and '---'", "the file has no front matter")
		}
		return s, nil, out
	}
	doc, found = strictyaml.Parse(file, front.Source, front.StartLine, strictyaml.DefaultLimits())
	out.Add(found...)
	if found.HasErrors() {
		return s, nil, out
	}
	if kind := doc.Root().Kind(); kind != strictyaml.Mapping {
		out.Errorf(RuleFrontMatter, doc.Pos(), "write it as key: value lines", "the front matter is %s", kind)
		return s, nil, out
	}
	return s, doc, out
}

func invalidAt(src []byte) int {
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// checkText checks presence and lengths, for own and foreign skills.
func (s Skill) checkText(doc *strictyaml.Doc, out *diag.List) {
	pos := func(key string) diag.Pos { return doc.Pos(key) }
	if s.Name == "" && doc.Root().Get("name").Kind() <= strictyaml.Scalar {
		out.Errorf(RuleSkillName, pos("name"), "add name: with the folder's name", "the skill has no name")
	}
	switch n := utf8.RuneCountInString(s.Description); {
	case strings.TrimSpace(s.Description) == "" && doc.Root().Get("description").Kind() <= strictyaml.Scalar:
		out.Errorf(RuleDescription, pos("description"), "say what the skill does and when to use it", "the skill has no description")
	case n > MaxDescription:
		out.Errorf(RuleDescription, pos("description"), "shorten it and move details to the body", "the description has %d characters, more than %d", n, MaxDescription)
	}
	if n := utf8.RuneCountInString(s.Compatibility); n > MaxCompatibility {
		out.Errorf(RuleSkillField, pos("compatibility"), "shorten it", "compatibility has %d characters, more than %d", n, MaxCompatibility)
	}
}

// advise notes a body that is longer than advised.
func (s Skill) advise(file string, out *diag.List) {
	s.unfilled(file, out)
	lines := strings.Count(s.Body, "\n")
	if lines >= AdvisedLines || s.Tokens() >= AdvisedTokens {
		out.Notef(RuleSkillLength, diag.Pos{File: file, Line: s.BodyLine}, "move details to files in references/",
			"the body has %d lines and about %d tokens; fewer than %d and %d are advised", lines, s.Tokens(), AdvisedLines, AdvisedTokens)
	}
}

// parentName returns the name of the folder that contains file.
func parentName(file string) string {
	parts := strings.Split(file, "/")
	if len(parts) < 2 {
		return ""
	}
	return parts[len(parts)-2]
}
