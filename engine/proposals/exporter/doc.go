// Package exporter writes out a capability's folder: as in force, or as found before an import
// adapted it, byte for byte.
//
// Files in force come from the snapshot in force, originals from the history of the proposal that
// brought the capability; neither ever comes from a worktree. It writes only below the given
// folder, and follows no link there. It replaces and removes only files that an earlier export
// wrote, by the history of main. Files that a user edited or added stay.
package exporter
