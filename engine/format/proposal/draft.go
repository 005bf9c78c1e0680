package proposal

import (
	"bytes"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
)

// Drafted is the content of a draft: a proposal without an id, and the draft's files.
type Drafted struct {
	Proposal Proposal
	// Edits are the files in the draft, with paths from the workspace's root.
	Edits []tree.Edit
	// Named is the position of the capability's name in AURA's form, which can only add one; zero for other forms.
	Named diag.Pos
}

// Taken refuses a draft that can only add, if its name is taken by the capabilities in force at places.
func (d Drafted) Taken(places []capability.Folder) (out diag.List) {
	if d.Named.File != "" && len(places) > 0 {
		out.Errorf(RuleName, d.Named, "propose a change of that, or give the new one another name", "the name %s is taken by %s", d.Proposal.Capability, places[0].Path)
	}
	return out
}

// ParseDraft reads a draft in any of the accepted forms: our own front matter (only goal
// is required), AURA's JSON, or an OpenClaw PROPOSAL.md. Fences of the body with
// file=PATH in the info string are files of the proposal. With `soul:` set, the first
// other fence is the section's text.
func ParseDraft(file string, src []byte) (Drafted, diag.List) {
	if trimmed := bytes.TrimLeft(src, "\ufeff \t\r\n"); len(trimmed) == 0 {
		var out diag.List
		out.Errorf(RuleEmpty, diag.Pos{File: file}, "write front matter with a goal, and why", "the draft is empty")
		return Drafted{}, out
	} else if trimmed[0] == '{' {
		return parseAura(file, bytes.TrimPrefix(src, []byte("\ufeff")))
	}
	if isOpenClaw(src) {
		return parseOpenClaw(file, src)
	}
	return parseOwn(file, src)
}

func parseOwn(file string, src []byte) (Drafted, diag.List) {
	p, doc, diags := decode(file, src)
	if doc == nil {
		return Drafted{}, diags
	}
	diags.Add(p.check(doc)...)
	if p.ID != "" {
		diags.Notef(RuleID, doc.Pos("id"), "leave id out of drafts", "the id is made by the engine; %q is replaced", p.ID)
		p.ID = ""
	}
	if len(p.Files) > 0 {
		diags.Notef(RuleFiles, doc.Pos("files"), "leave files out of drafts", "the files list is filled in by the engine")
		p.Files = nil
	}
	if strings.TrimSpace(p.Goal) == "" {
		diags.Errorf(RuleGoal, doc.Pos("goal"), "say in one line what the change is for", "the draft has no goal")
	}
	d := Drafted{Proposal: p}
	bodyLine := 1 + bytes.Count(src[:len(src)-len(p.Body)], []byte("\n"))
	diags.Add(d.takeFences(file, bodyLine)...)
	return d, diags
}

// takeFences extracts the draft's files and the text of its soul edit.
func (d *Drafted) takeFences(file string, bodyLine int) diag.List {
	var out diag.List
	p := &d.Proposal
	seen := map[string]int{}
	content := ""
	found := false
	for _, f := range fences([]byte(p.Body)) {
		line := bodyLine + f.line - 1
		if f.file == "" {
			if !found && slices.Contains([]string{"", "markdown", "md", "soul"}, f.language) {
				content, found = f.text, true
			}
			continue
		}
		if first, again := seen[f.file]; again {
			out.Errorf(RuleFileTwice, diag.Pos{File: file, Line: line}, "keep one of them",
				"%q is written twice in this draft, first on line %d", f.file, first)
			continue
		}
		seen[f.file] = line
		d.Edits = append(d.Edits, tree.Edit{Path: f.file, Content: []byte(f.text)})
	}
	if p.Soul == nil {
		return out
	}
	if !found {
		out.Errorf(RuleSoulContent, diag.Pos{File: file, Line: bodyLine},
			"put the section's new text into a fenced block of the body (```markdown … ```)",
			"the draft edits section %q but does not say what its text shall be", p.Soul.Section)
	}
	p.Soul.Content = content
	return out
}

// SoulContent returns the text of a proposal's soul edit from its body.
func (p Proposal) SoulContent() string {
	d := Drafted{Proposal: p}
	d.takeFences("", 1)
	if d.Proposal.Soul == nil {
		return ""
	}
	return d.Proposal.Soul.Content
}
