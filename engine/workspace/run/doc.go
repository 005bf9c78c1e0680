// Package run is one run of a workflow: its records, its state, and its next step. It also holds
// the form of agents' answers to tasks.
//
// It decides and never acts: it appends no record, asks no one and has no clock. The caller passes
// the definition that the run follows; a record says what happened, never how a job is
// defined. An agent's answer about its own work is a claim, which can stop a run and opens
// nothing: the gate decides about merges.
package run
