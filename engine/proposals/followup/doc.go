// Package followup asks, after the repair of a tool, whether the skills that apply to
// the tool are still needed. Such a skill may work around what the repair mended, so
// that it is of no more use, or wrong.
//
// What to ask follows from what is in force and from nothing that happened: a skill
// applies to a tool, and an active one supersedes that. Each question is a proposal to
// archive the skill, by the engine. Merging it archives, rejecting it keeps, updating it
// revises. Its id follows from the repair and the skill: however many processes ask,
// there is one, and what was answered is not asked again for that repair.
//
// It removes nothing and changes no skill; the gate decides as on every proposal.
package followup
