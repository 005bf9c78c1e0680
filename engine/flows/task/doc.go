// Package task carries runs of workflows on: it starts them, says what waits for whom,
// takes in what agents hand in, and does the built-in actions whose turn it is.
//
// What a job is comes from the workflow in force, never from the run's records and
// never from the proposal that the run is about. Files that are handed in become a
// commit on the run's proposal, under the rules of every proposal, and whoever handed
// them in is an author of it. Every step is decided on the run's journal and appended by
// compare-and-swap, and every action can be done again: a process that is killed loses
// nothing that it had acknowledged, and the next one goes on from there.
package task
