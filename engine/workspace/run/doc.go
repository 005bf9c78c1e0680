// Package run is one run of a workflow: its records, the state that they come to, and
// what is to be done next. It also holds the form of what agents answer to a task.
//
// It decides and never acts: it appends no record, asks nobody and has no clock. The
// definition of the workflow comes in with each question, as it is in force; a record
// says what happened and never what a job is. What an agent answers about its own work
// is a claim, which can stop a run and opens nothing: what merges is for the gate.
package run
