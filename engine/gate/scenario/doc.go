// Package scenario reads scenario files, policies/scenarios/*.yaml, and judges them by
// policies. Each scenario describes an imagined proposal and the answer that the gate must
// give, so that a change of policies which changes an answer is noticed.
//
// It only computes. Facts that a scenario leaves out have defaults (see Facts); nothing is
// read from a real proposal.
package scenario
