// Package doctor finds faults of a machine, a repository and a workspace, says what to do
// about each, and repairs those that need no decision of a person.
//
// Examining writes nothing except a file that it removes again, to test write access. Mending
// never touches an edited file, a ref with a value, a policy or the content of a key. It
// removes leftovers, restores refs from their logs, and brings checkouts to their refs.
package doctor
