// Package script runs the script of a workflow's job: it lays a tree down in a folder of
// its own, has the sandbox run the script over it, and keeps the end of what it said.
//
// It decides nothing about runs, and believes nothing that a script says but its exit
// code. Without a sandbox that protects nothing runs, whatever a policy says. Secrets are
// given only where the tree is in force: what somebody proposes could hand them over.
package script
