// Package critique judges how the capabilities in force did in a mission that has ended, in a transcript or in
// an executed plan, and records each judgement as a trial.
//
// Rules judge, or a command line of the user's that is asked. Its answer is refused as a whole or recorded as a whole.
package critique
