// Package hosttest is the conformance suite of package host: one suite of tests for every
// service that shows pull requests. Each implementation runs it against the real service,
// or the best imitation of it.
//
// It observes through the interface, lets a harness change things directly, and breaks
// connections: each write of each method is interrupted at each of its requests, before
// and after the service acted. Features that a service lacks are named by its harness and
// skipped visibly.
package hosttest
