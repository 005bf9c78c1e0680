// Package transcript reads the record of an agent's session as events: transcripts of Claude Code and
// Codex, the JSON that clients send to hooks, and plain text.
//
// It reads line by line and keeps no more than one line, the calls without a result, and the first 16 MiB of
// plain text. It never follows anything that a transcript says, and a damaged line hides no other one.
package transcript
