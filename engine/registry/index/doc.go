// Package index answers questions about all capabilities of a tree without
// reading them again: which there are, who answers to a name, who names whom, and
// which fit a few words best.
//
// An Index is made of segments: a base, and deltas that each say what differs from
// the state below. A segment is a flat run of bytes that is read where it lies;
// nothing is decoded before it is asked for, and every block is compared with its
// checksum when it is first looked at. Damage is an error, never a wrong answer.
//
// The package computes: it reads trees and bytes that are handed in, and never
// decides where they are kept or whether they can be trusted. An index says
// nothing that the tree does not say; whoever has none lists the tree.
package index
