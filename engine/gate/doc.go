// Package gate puts together what a proposal must pass: the facts about a pull
// request, observed rather than claimed, and the verdict that the base's policies
// give on them.
//
// It is a pure function of what it is handed. The same function judges before a
// merge and, afterwards, whether a merge that somebody shows deserves to be in
// force.
package gate
