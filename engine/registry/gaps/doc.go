// Package gaps hears in a session which capabilities an agent lacks: in the agent's words, in repeated
// failures, and by the patterns of policies/gaps.yaml.
//
// It reads events one by one and keeps a bounded part of them. It never looks at a workspace, so a gap may
// be served already; package answers finds that out. Everything in an event may be hostile: names of gaps
// have the form of a capability's name, and texts are bounded and on one line.
package gaps
