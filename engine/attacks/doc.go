// Package attacks holds tests only: what somebody with a shell, several accounts and
// write access to every branch and ref tries, against the real use cases, real
// signatures and a real repository. docs/attacks.md lists the attacks.
//
// An attack must fail for the expected reason and leave the state in force unchanged.
// TestDefencesAreNeeded checks the reverse: it switches off each defence that the source marks
// with a directive, and requires that the attack against it succeeds.
package attacks
