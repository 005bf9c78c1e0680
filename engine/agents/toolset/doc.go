// Package toolset is what a connected agent can do in a workspace: find and load what is in
// force, call a tool, propose a change, ask how things are, and report what it lacks.
//
// Each operation opens the workspace anew, so that it answers by what is in force at that
// moment. The package never approves and never merges: no input and no tool's answer leads there.
package toolset
