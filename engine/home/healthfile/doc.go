// Package healthfile keeps an installation's records of the health of capabilities: a
// file for each capability of a workspace in the user's own folder, changed under a lock
// and synced before it counts. So processes agree at once, and a killed one loses nothing
// that it recorded.
//
// What is kept stays on this machine: others learn of a quarantine by the proposal that
// follows it. The package decides nothing; what evidence means, package health says. A
// damaged file is an error, not a capability without a record.
package healthfile
