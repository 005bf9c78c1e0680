// Package settings edits files that belong to somebody else: an entry in a client's JSON, a block
// in its TOML, a block in its Markdown instructions.
//
// Every edit keeps all other bytes, does nothing when it is repeated, and is undone by removing
// exactly what it added. A file that cannot be read for certain is refused with its line, and
// then nothing of it changes.
package settings
