// Package merge is the only way to bring a change into force: it examines a proposal once more,
// asks the gate, and has the forge swap main by compare-and-swap, with the evidence kept in the
// journal. If so configured, a service is asked to merge instead, and its merge is attested
// afterwards (docs/adr/0022 and 0024).
//
// It merges exactly the tree that was validated, or nothing.
package merge
