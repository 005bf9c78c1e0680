// Package sandbox runs untrusted programs: the code of a tool, a test of it, or a server on its
// standard streams.
//
// A [Spec] lists everything that a program gets: files, environment, input, reachable hosts and
// limits. Nothing else is available to it. A [Result] describes the outcome. Secrets are passed
// by name and redacted from all output, by value and in the usual encodings.
//
// Two runners share one interface. [Box] isolates, and exists only on machines that can:
// otherwise [New] returns a [Refusal] that says what to install. [Unprotected] isolates nothing
// and is for a policy that names `sandbox: none`; it only bounds time and output, and kills
// leftover processes.
//
// The package never decides whether a program may run, which hosts or secrets it may have, or
// what its output means. It never runs anything that is not in the Spec, and never falls back
// from one runner to the other.
package sandbox
