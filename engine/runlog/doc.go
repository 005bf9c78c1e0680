// Package runlog keeps the records of runs: one journal for each run, below
// refs/assent/runs/ of the repository.
//
// A record is appended only upon the state that it was decided on, by compare-and-swap:
// of several processes that would do the same step, one does. The package decides
// nothing about what a run does next, and believes no record more than its form: who
// can write refs can write records, so that nothing is allowed because of one.
package runlog
