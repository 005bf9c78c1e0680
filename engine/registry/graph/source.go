package graph

import (
	"time"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/soul"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// Source is what a graph is derived from.
type Source struct {
	Capabilities []Known
	Agents       []Learner
	Proposals    []Merged
	Jobs         []Job
	Trials       []trial.Kept
	// Uses are the sums of all trials by capability, ByAgent those by capability and agent. They
	// may cover more trials than Trials.
	Uses, ByAgent []trial.Line
	// Since leaves out proposals and jobs before a day, zero for none.
	Since time.Time
}

// Known is a capability in force.
type Known struct {
	capability.Capability
	// Calls are the capabilities that a composed tool calls.
	Calls []string
	// Digest names its content, Health is its health in this installation.
	Digest string
	Health health.Record
}

// Learner is an agent with what its SOUL.md says that it learned.
type Learner struct {
	Name    string
	Learned []soul.Entry
}

// Merged is a proposal in force.
type Merged struct {
	proposal.Proposal
	// Day is the day in its path.
	Day string
}

// Job is one part of a run that acquires a capability.
type Job struct {
	Run, Name  string
	Capability string
	// Agent did it, or has it now. Proposal received its files.
	Agent, Proposal string
	Status          string
	Began, Ended    time.Time
	Attempts        int
	Failures        int
	Confidence      float64
	Cost            float64 // 0 if none is reported
	Notes           string
	Findings        map[string]string
}
