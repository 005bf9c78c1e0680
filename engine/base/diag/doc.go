// Package diag describes findings about content: a rule, a place, a reason and a fix.
//
// A diagnostic is data, never an error: checks collect all of them and continue. A Go error
// means that the environment failed (a disk, a ref, a network), not that a file is invalid.
// This package reads no files and prints nothing.
package diag
