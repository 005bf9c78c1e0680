// Package github shows pull requests on github.com or GitHub Enterprise Server, for one
// repository and one account: a token, or a GitHub App by its key.
//
// It implements host.Host and decides nothing. It waits when GitHub asks for it, retries
// only requests that may be repeated, follows no redirection, bounds answers and lists,
// and revalidates cached answers by ETag. It reads no key and no token from a repository,
// and writes nothing to disk.
package github
