// Package skillsync keeps an agent client's folder of skills equal to the skills in force
// for one agent.
//
// A manifest in that folder records the files that sync wrote. Only recorded and unedited
// files are replaced or removed; every other file stays and is reported. The package writes
// only below the folder, follows no symbolic link there, and never reads a worktree.
package skillsync
