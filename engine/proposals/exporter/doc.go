// Package exporter hands a capability's folder out again: as it is in force, or as
// it was found before an import fitted it in, byte for byte.
//
// What is in force comes from the snapshot in force, originals from the history of
// the proposal that brought the capability; neither ever comes from a worktree. It
// writes below the folder that it is given and nowhere else, and follows no link there.
// It replaces and removes only files that an earlier export wrote, by the history of main. Files
// that a user edited or added stay.
package exporter
