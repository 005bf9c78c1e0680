// Package project finds the workspace that a project works with, where the project's repository is not one
// itself.
//
// A person's choice is the Git setting assent.workspace of the project's repository, which every
// command follows. The project's own file .assent.yaml only proposes a choice, which
// assent connect takes: a file arrives by a push, and must not redirect commands by itself.
package project
