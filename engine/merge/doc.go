// Package merge is the only way by which something comes into force: it examines
// a proposal once more, asks the gate, and has the forge swap main by
// compare-and-swap, with the evidence kept beside it.
//
// It merges exactly the tree that was validated, or nothing.
package merge
