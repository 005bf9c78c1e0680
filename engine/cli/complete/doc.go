// Package complete lists what the shell offers while a command line is typed. If anything
// fails, it offers nothing: a completion must not print.
package complete
