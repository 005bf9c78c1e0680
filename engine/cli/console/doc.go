// Package console is what every command shares: the world of a run and the flags of all
// commands, output as text and JSON, errors with their exit codes, opening a workspace, and
// who acts with which key.
//
// A command returns an error and never ends the process. What others wrote is printed by
// OneLine or Clean only.
package console
