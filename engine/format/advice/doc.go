// Package advice holds the formats for asking a program or a model outside assent: the
// files opinion.yaml and drafter.yaml that name it, the strict reader of its answers, and
// the record of a second opinion, bound to the exact content it judged.
//
// It sends no question; packages ask and opinion do. Configuration is read only from the
// user's own folder, never from a workspace: a repository must not run commands on a
// reader's machine. A record may be forged by anyone who can write the journal, so package
// policy uses it only to require more review, never to allow a change.
package advice
