// Package markup finds and edits the parts of a Markdown file without touching
// a byte of anything else: front matter, its keys, and sections.
//
// What a section is, a CommonMark parser decides, never a pattern: a line that
// looks like a heading inside a code fence, an HTML block, a list or a quotation
// is none. Every edit is checked by parsing its result. Nothing here renders
// Markdown, reads files or judges what a text says.
package markup
