// Package cli is the command line: it reads flags and files, calls one use case, and shows the
// result, for people on a terminal, as plain text when piped, or as JSON.
//
// Each heading of the help is a package; what all commands share is package console, and
// what several headings print is package output. The headings know nothing of each other.
//
// The commands only wire and show. The packages that a command calls decide; a decision that grows
// here belongs there.
package cli
