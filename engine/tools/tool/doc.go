// Package tool calls a capability that is in force: it finds it by name, holds the
// input against its schema, takes what the call may cost from the session's account,
// runs it (a script in the sandbox, a composed tool in process, a server's method over
// its pipes), and holds the answer against its schema.
//
// Code is read from the tree that it is given and laid down for one run; nothing of
// it is ever read from a worktree. What is not in force, not active, of a kind that
// may hold no code, or forbidden to the agent never runs. A call that does not fit
// into the session's caps never starts, whoever calls: composed tools call others
// by the same path.
//
// The package never runs anything unprotected unless the policy in force says so, and
// never hands out a secret that the capability does not name.
package tool
