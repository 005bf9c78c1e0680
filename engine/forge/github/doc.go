// Package github shows pull requests on GitHub, github.com or Enterprise Server, for
// one repository and one account: a token, or a GitHub App by its key.
//
// It is a host.Host and decides nothing. It waits where GitHub asks for it, repeats
// only what may be repeated, follows no redirection, reads answers and lists up to a
// bound, and asks again for what it knows already by ETag. It reads no key and no
// token from a repository, and writes nothing to disk.
package github
