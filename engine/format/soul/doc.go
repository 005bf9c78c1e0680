// Package soul reads and edits SOUL.md, an agent's identity: its sections, the
// ones that are protected, and the list of what the agent has learned.
//
// It never decides who may change what: it reports that a protected section was
// touched, and a policy decides. It stores nothing and knows no repository.
package soul
