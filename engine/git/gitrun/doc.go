// Package gitrun starts the git program. No other package of the engine does; a test in
// engine/arch_test.go checks this.
//
// It decides which configuration a run of git obeys. The user's own choices apply: the
// environment of the process, and Git's system and user configuration. Agents, too, write a
// repository's own files, so these may name a remote's address, but nothing else that makes git
// run a program, use another proxy, or trust another certificate.
//
//   - No run executes a hook or a file system monitor, starts a pager, reads replaced or
//     grafted history, or fetches a missing object (see forced and environment).
//   - A run that talks to others ([Online]) first lists the repository's configuration,
//     and does not start if a setting there names a program (see [Refusal]).
//   - Work on an index and its files reads no configuration of the repository at all:
//     see [Checkout]. No filter is run there, also none that the user configured.
//
// It must never decide what a change of a repository means, nor trust git's output beyond its
// syntax.
package gitrun
