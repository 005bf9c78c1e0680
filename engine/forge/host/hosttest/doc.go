// Package hosttest is what every service that shows pull requests must be able to do:
// one suite of tests against package host, with the real service (or the best
// imitation of it) behind each implementation.
//
// It looks through the interface, lets a harness do by hand what happens behind the
// interface's back, and breaks connections in between: each write of each method is
// cut at each of its requests, before and after the service acted. What a service
// cannot show is named by its harness and skipped visibly, never passed over.
package hosttest
