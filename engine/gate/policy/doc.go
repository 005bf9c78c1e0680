// Package policy reads policies/*.yaml and judges proposals by them.
//
// It is a set of pure functions. Load turns the policy files of one commit, the base, into
// values. DeriveRisk derives the risk of a change from its effect, never from its claims.
// Judge returns a tree of verdicts, each with its reason and what could change it. The zero
// value of a verdict is Undecided, which blocks.
//
// It never reads a proposal's own version of the policies, never believes an unproven
// name, reads no clock and writes nothing. A policy file that is missing or broken is
// replaced by the strictest defaults, never by lenient ones.
package policy
