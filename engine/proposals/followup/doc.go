// Package followup asks, after the repair of a tool, whether the skills that apply to the tool are
// still needed. Such a skill may work around the repaired fault, and then be useless or wrong.
//
// The questions follow only from the capabilities in force: a skill applies to a tool, and an
// active tool supersedes that one. Each question is a proposal to archive the skill, by the
// engine. Merging it archives the skill, rejecting keeps it, updating revises it. Its id follows
// from the repair and the skill: any number of processes ask one question, and an answered one is
// not asked again for that repair.
//
// It removes nothing and changes no skill; the gate decides as on every proposal.
package followup
