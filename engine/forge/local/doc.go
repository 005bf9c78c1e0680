// Package local is the embedded forge: pull requests are journals under
// refs/assent/pulls/ in the same repository as the branches that they are about,
// so a workspace needs no account and no server.
//
// It stores events and moves refs by compare-and-swap. It refuses what is stale
// and what is unsigned; whether a pull request may merge is not its business.
package local
