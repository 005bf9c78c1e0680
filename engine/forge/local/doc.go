// Package local is the embedded forge. Pull requests are journals under
// refs/assent/pulls/ in the repository of their branches, so a workspace needs no account
// and no server.
//
// It stores events and moves refs by compare-and-swap. It refuses stale and unsigned
// requests; it never decides whether a pull request may merge.
package local
