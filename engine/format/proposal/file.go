package proposal

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/markup"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/strictyaml"
)

// Parse reads a proposal's file strictly: every field known, every value of its type, and
// an id that matches the file's name.
func Parse(file string, src []byte) (Proposal, diag.List) {
	p, doc, diags := decode(file, src)
	if doc == nil {
		return p, diags
	}
	if p.ID == "" {
		diags.Errorf(names.RuleProposal, doc.Pos("id"), "let assent make the file: assent propose -f draft.md", "the proposal has no id")
	}
	diags.Add(p.check(doc)...)
	return p, diags
}

// decode reads front matter and body; doc is nil if there is nothing to decode.
func decode(file string, src []byte) (Proposal, *strictyaml.Doc, diag.List) {
	var p Proposal
	fm, diags := markup.SplitFrontMatter(src)
	diags = within(file, diags)
	if diags.HasErrors() {
		return p, nil, diags
	}
	if !fm.Present {
		diags.Errorf(RuleFrontMatter, diag.Pos{File: file, Line: 1},
			"start the file with '---', the fields kind, agent and goal, and '---'", "the proposal has no front matter")
		return p, nil, diags
	}
	p.Body = string(src[fm.BodyOffset:])
	doc, more := strictyaml.Parse(file, fm.Source, fm.StartLine, strictyaml.DefaultLimits())
	diags.Add(more...)
	if more.HasErrors() {
		return p, nil, diags
	}
	doc.Decode(&p, &diags)
	return p, doc, diags
}

func (p *Proposal) check(doc *strictyaml.Doc) diag.List {
	var out diag.List
	if p.Kind != "" && !p.Kind.Valid() {
		out.Errorf(RuleKind, doc.Pos("kind"), "use one of "+kindList(), "unknown kind %q", p.Kind)
	}
	for i, d := range p.Differs {
		if d.From == "" || len(strings.Fields(d.How)) < 3 {
			out.Errorf(RuleDiffers, doc.Pos("differs", i), "write {from: NAME, how: \"what it does that the other one does not\"}",
				"a difference names no capability, or says too little about how it differs")
		}
	}
	if p.Soul == nil {
		return out
	}
	switch p.Soul.Mode {
	case "add", "append", "replace":
	default:
		out.Errorf(RuleSoulMode, doc.Pos("soul", "mode"), "use add, append or replace", "unknown mode %q", p.Soul.Mode)
	}
	if p.Soul.Agent == "" {
		out.Errorf(RuleSoulAgent, doc.Pos("soul"), "name the agent whose SOUL.md changes", "soul.agent is missing")
	}
	if p.Soul.Section == "" {
		out.Errorf(RuleSoulSection, doc.Pos("soul"), "name the section that changes, such as 'Vibe'", "soul.section is missing")
	}
	return out
}

func kindList() string {
	var names []string
	for _, k := range Kinds() {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

// Format writes the file: canonical front matter, then the body unchanged. Parse reads it
// back equal.
func Format(p Proposal) ([]byte, error) {
	front, err := strictyaml.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("write front matter of proposal %s: %w", p.ID, err)
	}
	var out bytes.Buffer
	out.WriteString("---\n")
	out.Write(front)
	out.WriteString("---\n")
	out.WriteString(p.Body)
	if !strings.HasSuffix(p.Body, "\n") {
		out.WriteByte('\n')
	}
	return out.Bytes(), nil
}

// WithoutFiles returns the file's bytes without the engine's files list, for comparing
// two versions of a proposal. All other bytes stay, including comments and meaningless
// keys, so that no change can hide there. A file that cannot be edited is returned
// unchanged.
func WithoutFiles(src []byte) []byte {
	out, diags := markup.EditFrontMatter("", src, markup.KeyEdit{Key: "files", Remove: true})
	if diags.HasErrors() {
		return src
	}
	return out
}

// within sets the file of diagnostics that lack one.
func within(file string, ds diag.List) diag.List {
	for i := range ds {
		ds[i].File = file
	}
	return ds
}
