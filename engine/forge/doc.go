// Package forge says what assent needs of the place where pull requests live,
// in terms that an embedded forge in the same repository, GitHub and Gitea can
// all serve: a pull request is a branch and a conversation about it.
//
// It holds words and errors only. A forge stores what it is told and refuses
// what is stale; it never decides whether something may merge. What reviews mean
// is decided by package gate, from what Activity shows at the moment of merging.
package forge
