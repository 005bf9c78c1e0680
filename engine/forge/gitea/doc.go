// Package gitea shows pull requests on Gitea and Forgejo: it implements host.Host by
// their REST API, for one repository and the account of one token.
//
// Each method asks how things are, and writes what is missing; if a connection fails or
// the server is busy it does that again, from the beginning. So whatever may have
// happened before, by this process or by one that died, nothing is done twice.
//
// It decides nothing, keeps nothing but what may be forgotten, follows no redirect and
// reads no answer to its end that is longer than any honest one.
package gitea
