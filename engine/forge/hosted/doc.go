// Package hosted is a forge on a service such as Gitea or GitHub. The record of a pull
// request stays where the embedded forge keeps it, in a journal of the repository. The
// service shows it to people, takes their reviews and reports who pushed.
//
// Every change is first offered to the remote as one atomic push that expects the refs
// unchanged. It is made locally only after the remote accepted it. Any number of engines
// thus agree by compare-and-swap, without a lock. The pull request, labels, comments and
// statuses on the service are a projection of the journal, which the next reader brings
// up to date.
//
// The package must never trust a service about content: trees, heads and merges are read
// from commits. It trusts a service only about the identity and the decisions of its
// accounts.
package hosted
