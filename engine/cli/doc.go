// Package cli is the command line: it reads flags and files, calls one use case,
// and shows what came of it, for people on a terminal, as plain text when piped,
// or as JSON.
//
// It wires and shows. What a command means is decided in the packages that it
// calls; a decision that grows here belongs there.
package cli
