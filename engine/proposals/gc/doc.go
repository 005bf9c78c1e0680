// Package gc finds capabilities that are no longer needed and proposes to archive them: those
// deprecated for longer than policies/retention.yaml says, with a successor in force, and those made
// by agents that no recorded trial used for longer than it says; if nothing in force requires, calls
// or names them.
//
// It removes nothing. Each capability has its own proposal, so that each can be declined, or
// undone, separately. The proposal's id follows from the capability's name and content: any number
// of collecting processes open one, and a declined one is not opened again until the content
// changes.
package gc
