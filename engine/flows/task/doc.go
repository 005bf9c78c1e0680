// Package task carries runs of workflows on: it starts them, lists waiting tasks, stores
// what agents deliver, and performs due built-in actions.
//
// Jobs are defined by the workflow in force, never by the run's records or the proposal
// that the run is about. Delivered files become a commit on the run's proposal, under the
// rules of every proposal, and the agent that delivered them is its author. Every step is
// decided on the run's journal and appended by compare-and-swap, and every action can be
// repeated. A killed process loses no acknowledged work, and the next one continues.
package task
