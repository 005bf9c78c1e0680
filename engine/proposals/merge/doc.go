// Package merge is the only way by which something comes into force: it examines
// a proposal once more, asks the gate, and has the forge swap main by
// compare-and-swap, with the evidence kept beside it. Where the user wants that, a service
// is asked for the merge instead, and what it made is attested afterwards (docs/adr/0022
// and 0024).
//
// It merges exactly the tree that was validated, or nothing.
package merge
