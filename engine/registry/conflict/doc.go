// Package conflict finds skills that demand opposite things.
//
// It compares words, by plain rules that seldom raise a false alarm and miss much: one sentence must say
// always, must, never, must not or do not about the same words as another one says the opposite. It
// decides nothing about the skills.
package conflict
