// Package link chooses the capabilities for a mission: it splits the mission into steps, takes for
// each step the candidates that match and performed well, adds their requirements, and reports
// unserved steps and omitted candidates with the reasons.
//
// It decides from its arguments alone, always in the same way: what it explores follows from the
// mission's id. It reads no clock and no file, and
// admits nothing: each use of a linked capability is checked when it is made.
package link
