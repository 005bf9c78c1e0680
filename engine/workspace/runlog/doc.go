// Package runlog keeps the records of runs: one journal for each run, below
// refs/assent/runs/ of the repository, folded into refs/assent/ended/ some time after
// the run has ended.
//
// A record is appended only upon the state that it was decided on, by compare-and-swap:
// of several processes that would do the same step, one does. Where engines share a
// remote, the remote is asked first, so that the same holds for engines of several
// clones. Two clones that went on without asking are joined: what was done elsewhere
// stands, ours follows where it still can.
//
// The package decides nothing about what a run does next, and believes no record more
// than its form: who can write refs can write records, so that nothing is allowed
// because of one.
package runlog
