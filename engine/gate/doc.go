// Package gate judges proposals. It derives the facts about a pull request, observed
// rather than claimed, and the verdict of the base's policies on them.
//
// It is a pure function of its input. The same function judges before a merge, and
// afterwards whether a merge on main was allowed.
package gate
