// Package gc finds capabilities that are no longer needed and proposes to archive
// them: deprecated for longer than policies/retention.yaml says, with a successor in
// force, and required, called or named by nothing that is in force.
//
// It removes nothing. Each capability is a proposal of its own, so that each can be
// declined, and taken back with an undo, by itself. The proposal's id follows from the
// capability's name and content: however many processes collect, there is one, and what
// was declined is not asked again until the content changes.
package gc
