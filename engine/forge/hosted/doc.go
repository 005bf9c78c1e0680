// Package hosted is a forge on a service: the record of a pull request stays where
// the embedded forge keeps it, in a journal of the repository, and a service such as
// Gitea or GitHub shows it to people, takes their reviews and tells who pushed.
//
// Every change is first offered to the remote, as one atomic push that expects the
// refs where they were seen, and comes into being here only when it was accepted. So
// any number of engines agree by compare-and-swap and need no lock. What the service
// shows (the pull request, its labels, comments and statuses) is a projection of the
// journal, and is brought up to date again by whoever looks next.
//
// It must never take what a service says about content: trees, heads and merges are
// read from commits. What it does take from a service is who somebody is and what
// they decided, and only where the service says it of an account.
package hosted
