// Package remote talks to other Git repositories: it pushes refs atomically, and fetches refs
// into tracking refs.
//
// It connects directly to folders of this machine and over plain HTTP, because a push must
// compare refs with the values that the remote advertised. Everything else, and configuration
// that it does not implement, is left to the git program. It never trusts a remote's answers
// beyond their syntax.
//
// It must never move a ref that anything here reads, run a hook of this repository, or use a
// transport that names a program to run.
package remote
