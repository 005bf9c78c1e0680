// Package index answers questions about all capabilities of a tree without reading the tree
// again: which exist, which have a name, which refer to a name, and which match a few words
// best.
//
// An Index consists of segments: a base, and deltas with the differences from the state below.
// A segment is a flat run of bytes that is read in place. Nothing is decoded before it is
// needed, and every block is compared with its checksum at its first use. Damage is an error,
// never a wrong answer.
//
// The package computes: it reads the given trees and bytes, and does not decide where they are
// stored or whether they can be trusted. An index has no information beyond the tree; a caller
// without an index lists the tree.
package index
