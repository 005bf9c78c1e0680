// Package gitea shows pull requests on Gitea and Forgejo. It implements host.Host by
// their REST API, for one repository and the account of one token.
//
// Each method reads the current state and writes the difference. If a connection fails or
// the server is busy, it starts again from the beginning. So nothing is done twice, even
// after a crash of this process or another.
//
// The package decides nothing and keeps only caches. It follows no redirects and bounds
// the size of answers.
package gitea
