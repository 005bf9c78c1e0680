// Package indexfile caches the segments of an index (package index) as files in one
// folder. Each file is named after the skills/ tree that its segment completes.
//
// An unreadable file counts as missing; the index is then built from the tree again. Files are
// not synced, because a torn one fails its checksums. Several processes may write and
// remove files at once.
package indexfile
