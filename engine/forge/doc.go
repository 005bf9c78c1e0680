// Package forge defines the place where pull requests live, in terms that an embedded
// forge, GitHub and Gitea can all implement. A pull request is a branch and a
// conversation about it.
//
// The package holds types and errors only. A forge stores requests and refuses stale
// ones; it never decides whether something may merge. Package gate interprets reviews,
// from what Activity returns at the moment of merging.
package forge
