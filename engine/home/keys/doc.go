// Package keys stores what the user's machine must neither lose nor share: the keys that sign
// reviews, secrets, the last state seen of each workspace, and which proposals were opened here.
//
// Everything is outside the workspaces, in the user's own folder. The package reads and writes
// files there and talks to an SSH agent. It never reads a repository, does not decide whose key
// counts, and never prints or logs a private key. Every program of the same user can use a key
// without a passphrase: the operating system sets that boundary, not this package.
package keys
