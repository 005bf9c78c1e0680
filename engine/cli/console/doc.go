// Package console is shared by all commands: the world of a run and the global flags, output as
// text and JSON, errors with their exit codes, opening a workspace, and the acting identity and
// its key.
//
// A command returns an error and never ends the process. Text by others is printed only with
// OneLine or Clean.
package console
