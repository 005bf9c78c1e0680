// Package keys keeps what a user's machine must not lose and must not share: the
// keys that reviews are signed with, what was last seen of each workspace, and which
// proposals were opened from here.
//
// Everything lies outside the workspaces, in the user's own folder. The package
// reads and writes files there and talks to an SSH agent; it never looks into a
// repository, decides nothing about whose key counts, and never prints or logs a
// private key. Every program of the same user can use a key without a
// passphrase: that boundary is the operating system's, not this package's.
package keys
