// Package skillsync keeps a folder in which an agent client looks for skills equal to the skills in
// force for one agent.
//
// A manifest in that folder records what was written there. Only files that the manifest records and
// that nobody edited since are replaced or removed; every other file stays and is reported. The package
// writes below the folder only, follows no symbolic link there, and never reads a worktree.
package skillsync
