// Package soul reads and edits SOUL.md, an agent's identity: its sections, the protected
// ones, and the list of learned capabilities.
//
// It never decides who may change something: it reports changes of protected sections,
// and a policy decides. It stores nothing and knows no repository.
package soul
