// Package respond answers the events of an agent client from the workspace: who the agent is when a
// session begins, the capabilities in force that fit a prompt, and which files are not to be edited.
// It records which skills the client's own tools read. At the end of a turn it says what serves the gaps
// that are heard in it.
package respond
