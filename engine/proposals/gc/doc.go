// Package gc finds capabilities that are no longer needed and proposes to archive them: those
// deprecated for longer than policies/retention.yaml says, with a successor in force, or retired, and those made
// by agents that no recorded trial used for longer than it says, or that missions speak against; if
// nothing in force requires, calls or names them.
//
// It removes nothing. Each capability has its own proposal, so that each can be declined, or
// undone, separately. The proposal's id follows from the capability's name and content, and from the
// kind of evidence: any number of collecting processes open one, and a rejected one is not opened
// again until one of these changes. An open one that is no longer true is withdrawn.
package gc
