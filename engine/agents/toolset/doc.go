// Package toolset implements the operations of a connected agent: find and load
// capabilities in force, call a tool, propose a change, ask for the status, and report a
// missing capability.
//
// Each operation opens the workspace again, so it uses the state in force at that moment. The
// package never approves or merges: no input and no tool's answer leads there.
package toolset
