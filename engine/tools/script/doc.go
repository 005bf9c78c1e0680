// Package script runs the script of a workflow's job: it writes a tree into a folder of its own,
// has the sandbox run the script over it, and keeps the end of its output.
//
// It decides nothing about runs, and trusts only the exit code of a script. Without a sandbox
// nothing runs, whatever a policy allows. A script gets secrets only with the tree in force:
// proposed content could make it print them.
package script
