package soul

import (
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/markup"
)

// Soul is one parsed SOUL.md.
type Soul struct {
	// File is the path that the soul was parsed under.
	File string
	// Source is the unchanged file.
	Source []byte
	// Sections are its headings of level 1 to 3.
	Sections []markup.Section
	// Learned are the entries of the list of learned capabilities, in file order.
	Learned []Entry
}

// Parse reads a SOUL.md. Any Markdown is a soul. The diagnostics report obstacles to safe
// editing (open fences, control characters) and invalid entries of the learned list. The
// Soul is never nil.
func Parse(file string, src []byte) (*Soul, diag.List) {
	s := &Soul{File: file, Source: src}
	var ds, learned diag.List
	s.Sections, ds = markup.Sections(src)
	s.Learned, learned = ReadLearned(src)
	ds.Add(learned...)
	for i := range ds {
		ds[i].File = file
	}
	ds.Add(markup.CheckText(file, src)...)
	ds.Add(markup.CheckClosed(file, src)...)
	return s, ds
}

// Edit is a proposed change of one section of an agent's soul.
type Edit struct {
	// Agent is the owner of the soul, Proposer the requester of the change.
	Agent, Proposer string
	// Section is a title or slug; Mode is markup.Add, Append or Replace.
	Section, Mode string
	// Capability is the subject of the change, if it is about one.
	Capability string
	// Content is Markdown without the section's heading.
	Content string
	// Justification goes into the proposal, never into the soul.
	Justification string
}

// Apply returns the soul's source with the edit, byte-exact outside of the section;
// markup.EditSection lists the refusals. An edit of a protected section is made too: a
// proposal must show it, and CompareProtected reports it.
func Apply(s *Soul, e Edit) ([]byte, diag.List) {
	return markup.EditSection(s.File, s.Source, markup.SectionEdit{Section: e.Section, Mode: e.Mode, Content: []byte(e.Content)})
}
