// Package names decides what may be a name, a path, a file mode and a ref in a
// workspace, which two of them collide, and which folder they belong to.
//
// The rules hold for every system that may check a workspace out: Linux, macOS
// and Windows, case-folding and normalising file systems included. A name that
// one of them would resolve to something else is refused on all of them, and so
// is one that a person would read as something else.
//
// It looks at strings only. It must never resolve a path on a disk, follow a
// link, or repair a bad name silently: Suggest proposes, the caller decides.
package names
