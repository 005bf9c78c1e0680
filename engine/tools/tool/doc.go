// Package tool calls a capability that is in force: it finds it by name, validates the
// input against its schema, takes the cost of the call from the session's account, runs it
// (a script in the sandbox, a composed tool in process, a server's method over its pipes or by HTTP),
// and validates the answer against its schema.
//
// Code is read from the given tree and written out for one run, never read from a
// worktree. A capability that is not in force, not active, of a kind that may hold no code,
// or forbidden to the agent never runs. A call that does not fit into the session's caps
// never starts, whether a user or a composed tool calls: both take the same path.
//
// The package runs nothing unprotected unless the policy in force allows it, and gives a
// program only the secrets that the capability names.
package tool
