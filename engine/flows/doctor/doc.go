// Package doctor finds faults of a machine, a repository and a workspace, says how to fix
// each, and repairs those that need no human decision.
//
// Examining writes nothing except a file that it removes again, to test write access.
// Mending never touches an edited file, a ref with a value, a policy or the content of a
// key. It removes leftovers, restores refs from their logs, and updates checkouts to their
// refs.
package doctor
