// Package runlog keeps the records of runs: one journal for each run, below
// refs/assent/runs/ of the repository, folded into refs/assent/ended/ some time after
// the run has ended. Files that scripts made are kept by refs below refs/assent/artifacts/, and go
// some time after the end of their run.
//
// A record is appended only to the state that it was decided on, by compare-and-swap: of several
// processes that would do the same step, one does. Engines that share a remote ask the remote
// first, so this also holds across clones. Clones that went on without asking are joined: the
// other clone's records stay, and ours follow where they still can.
//
// The package decides no step of a run and checks only the form of records: anyone who can write
// refs can write records, so a record allows nothing.
package runlog
