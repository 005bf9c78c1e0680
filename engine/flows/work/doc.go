// Package work has the command of an agent do tasks of runs: it takes a task, lays the workspace
// down in a folder, runs the command there, and hands in the files that changed and the result.
//
// The command runs as the user, outside the sandbox: it is the user's own agent. What it hands in
// goes through package task, like anything that an agent delivers.
package work
