// Package indexfile keeps the segments of an index (package index) as files of one
// folder, each called after the tree that it completes the description of.
//
// The files are a cache: what cannot be read counts as not there, and nothing here
// is an answer that a tree would not give. They are not synced, because a torn one
// fails its checksums. Several processes may write and tidy up at once.
package indexfile
