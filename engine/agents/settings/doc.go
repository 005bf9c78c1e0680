// Package settings edits files that belong to other programs and people: an entry in a
// client's JSON, a block in its TOML, a block in its Markdown instructions.
//
// Every edit keeps all other bytes, changes nothing when it is repeated, and is undone by
// removing exactly what it added. A file that cannot be parsed with certainty is refused
// with its line, and stays unchanged.
package settings
