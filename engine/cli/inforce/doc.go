// Package inforce has the commands about what is in force, and why: list, find, inspect,
// cat, run-tool, stop, health, log, audit and soul.
package inforce
