// Package cli is the command line: it reads flags and files, calls one use case,
// and shows what came of it, for people on a terminal, as plain text when piped,
// or as JSON.
//
// Each heading of the help is a package; what all commands share is package console, and
// what several headings print is package output. The headings know nothing of each other.
//
// The commands wire and show. What a command means is decided in the packages that it
// calls; a decision that grows here belongs there.
package cli
