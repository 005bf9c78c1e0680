// Package markup finds and edits parts of a Markdown file byte-exactly: front matter, its keys,
// and sections.
//
// A CommonMark parser determines sections, never a pattern: a line that looks like a heading
// inside a code fence, an HTML block, a list or a quotation is not a heading. Every edit is
// verified by parsing its result. The package renders no Markdown, reads no files and does not
// judge content.
package markup
