package workflow

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/base/tree"
)

// maxTemplate bounds the instructions of one task, in bytes.
const maxTemplate = 16 << 10

// template is one file with instructions.
type template struct {
	text string
	bad  bool // which a diagnostic of its own says
}

// Given are the placeholders that every run fills: its id, the job, the proposal that
// it opened, and values derived from its inputs and results.
const (
	GivenRun      = "run"
	GivenJob      = "job"
	GivenProposal = "proposal"
	GivenCategory = "category"
	GivenRisk     = "risk"
)

func given() []string { return []string{GivenRun, GivenJob, GivenProposal, GivenCategory, GivenRisk} }

// loadTemplates reads all of workflows/templates/.
func loadTemplates(v tree.View, diags *diag.List) (map[string]template, error) {
	entries, err := v.List(TemplateDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", TemplateDir, err)
	}
	out := map[string]template{}
	for _, e := range entries {
		pos := diag.Pos{File: e.Path}
		if !e.Mode.IsFile() || path.Ext(e.Path) != ".md" {
			diags.Errorf(RuleFile, pos, "move it elsewhere", "%s/ holds .md files with the texts of tasks, and nothing else", TemplateDir)
			continue
		}
		src, err := v.Read(e.Path)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", e.Path, err)
		}
		t := template{text: string(src)}
		if len(src) > maxTemplate || !utf8.Valid(src) || strings.TrimSpace(t.text) == "" {
			t.bad = true
			diags.Errorf(RuleTemplate, pos, "write what is to be done, in at most 16 KiB", "no text of a task: %d bytes", len(src))
		}
		out[e.Path] = t
	}
	return out, nil
}

// template finds the instructions of a task and checks their placeholders.
func (p *jobParser) template(n strictyaml.Node, j *Job) {
	if n.Kind() == strictyaml.Absent {
		p.diags.Errorf(RuleTask, j.Pos, "add task: templates/"+j.Name+".md", "job %s does not say what is to be done", quote(j.Name))
		return
	}
	name, ok := p.text(n, "task")
	if !ok {
		return
	}
	j.Template = Dir + "/" + name
	t, there := p.templates[j.Template]
	if !there {
		var known []string
		for file := range p.templates {
			known = append(known, strings.TrimPrefix(file, Dir+"/"))
		}
		slices.Sort(known)
		fix := "make the file; " + TemplateDir + "/ has none yet"
		if len(known) > 0 {
			fix = suggest(name, known, "make the file below "+TemplateDir+"/; there are ")
		}
		p.diags.Errorf(RuleTemplate, n.Pos(), fix, "there is no %s", quote(j.Template))
		return
	}
	j.Instructions = t.text
	if !t.bad {
		p.placeholders(j.Template, t.text)
	}
}

var placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{([^{}\n]*)\}\}`) })

// placeholders checks those of a template. Free text by others is not inserted into
// instructions: the agent gets it separately, marked as such.
func (p *jobParser) placeholders(file, text string) {
	for _, at := range placeholder().FindAllStringSubmatchIndex(text, -1) {
		name := strings.TrimSpace(text[at[2]:at[3]])
		in, known := p.input(name)
		before := text[:at[0]]
		line := strings.Count(before, "\n")
		pos := diag.Pos{File: file, Line: line + 1, Column: utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1}
		switch {
		case slices.Contains(given(), name):
		case !known:
			p.diags.Errorf(RuleTemplate, pos, suggest(name, append(p.inputNames(), given()...), "the names are "), "nothing is called %s", quote(name))
		case in.Free():
			p.diags.Errorf(RuleTemplate, pos, "refer to it in words: it is shown below the instructions, fenced; or give the input form: name or values:",
				"%s is anybody's words, which cannot be part of instructions", quote(name))
		}
	}
}

// Fill puts values for the placeholders of a text; those without one stay.
func Fill(text string, values map[string]string) string {
	return placeholder().ReplaceAllStringFunc(text, func(found string) string {
		if v, ok := values[strings.TrimSpace(found[2:len(found)-2])]; ok {
			return v
		}
		return found
	})
}

// patterns reads the paths of files that may be delivered.
func (p *jobParser) patterns(n strictyaml.Node, field string) []string {
	out := p.list(n, field, maxList)
	for i, pattern := range out {
		pos := n.Pos()
		if n.Kind() == strictyaml.Sequence {
			pos = n.Index(i).Pos()
		}
		top, _, _ := strings.Cut(pattern, "/")
		if !isPattern(Fill(pattern, nil)) || !slices.Contains([]string{"skills", "soul"}, top) {
			p.diags.Errorf(RuleTask, pos, "write a path below skills/ or soul/; * matches within a segment, ** any number of segments", "no pattern of files that a task may deliver: %s", quote(pattern))
		}
		for _, m := range placeholder().FindAllStringSubmatch(pattern, -1) {
			name := strings.TrimSpace(m[1])
			if in, known := p.input(name); name != GivenCategory && (!known || in.Free()) {
				p.diags.Errorf(RuleTask, pos, "name category, or an input with form: name or values:", "%s cannot be part of a path", quote(name))
			}
		}
	}
	return out
}
