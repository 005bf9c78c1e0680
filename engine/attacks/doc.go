// Package attacks holds tests only: what somebody with a shell, several accounts and
// write access to every branch and ref tries, against the real use cases, real
// signatures and a real repository. docs/attacks.md lists the attacks.
//
// An attack has to fail, for the reason that is meant, and leave what is in force as
// it was. TestDefencesAreNeeded turns this round: it switches off each defence that
// the source marks with a directive and requires that the attack upon it succeeds.
package attacks
