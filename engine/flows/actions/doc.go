// Package actions makes the files that have a workspace's pull requests validated on
// GitHub: workflows, code owners, a pull request's template, and a ruleset to import.
// `assent init --github` adds them; docs/actions.md explains them.
//
// The workflows in templates/ are also those of this repository, which differ only in
// where the engine comes from; a test compares them. What an event says never stands
// in what a workflow runs, and every action is named by its full commit.
//
// It decides what the files say and never writes them.
package actions
