// Package actions generates the files that validate a workspace's pull requests on GitHub:
// workflows, code owners, a pull request's template, and a ruleset to import. `assent init
// --github` adds them; docs/actions.md explains them.
//
// This repository uses the workflows in templates/ too, with another source of the engine;
// a test compares them. A workflow's script never contains a value of an event, and every
// action is pinned by its full commit.
//
// The package only generates content; it never writes files.
package actions
