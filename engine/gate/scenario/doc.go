// Package scenario reads scenario files, policies/scenarios/*.yaml, and judges what
// they describe by policies: each says of one imagined proposal what the gate has to
// answer, so that a change of policies that changes an answer is noticed.
//
// It computes. What is left out of a scenario has the value that package says
// (see Facts); nothing is taken from a real proposal.
package scenario
