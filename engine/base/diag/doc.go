// Package diag describes what is wrong with content: findings with a rule, a
// place, a reason and what to do about it.
//
// A diagnostic is data, never an error: checks collect all of them and go on.
// A Go error means that the world failed (a disk, a ref, a network), not that
// somebody's file is wrong. Nothing in this package reads files or prints.
package diag
