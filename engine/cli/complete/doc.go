// Package complete lists the shell's completions of a command line. If anything fails, it offers
// nothing: a completion must not print.
package complete
