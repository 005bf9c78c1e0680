// Package sandbox runs untrusted programs: the code of a tool, a test of
// it, a server that speaks over its standard streams.
//
// A [Spec] says all that the program gets: its files, its environment, its input,
// the hosts that it may reach, how much it may take. What is not in the Spec is not
// there. A [Result] says what came of it. Secrets are given by name and taken out of
// everything that comes back, by value and in the usual encodings.
//
// Two runners have the same interface. [Box] isolates, and is only to be had where
// the machine can: [New] refuses with a [Refusal] that says what to install.
// [Unprotected] isolates nothing; it is for a policy that names `sandbox: none`, and
// only time, output and leftover processes are held in it.
//
// The package never decides whether something may run, which hosts or secrets it
// may have, or what its answer means. It never runs anything that is not in the
// Spec, and it never falls back from the one runner to the other.
package sandbox
