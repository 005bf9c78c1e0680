// Package names defines valid names, paths, file modes and refs of a workspace, which of them
// collide, and the folder that a path belongs to.
//
// The rules hold for every system that may check out a workspace: Linux, macOS and Windows,
// including case-folding and normalising file systems. A name that one of them would resolve to
// something else is refused on all, as is a name that people would misread.
//
// It only examines strings. It must never resolve a path on a disk, follow a link, or silently
// repair a bad name: Suggest proposes one, and the caller decides.
package names
