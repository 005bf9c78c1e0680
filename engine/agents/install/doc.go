// Package install puts what an agent client needs to use a workspace into the client's own files,
// and takes it out again: the MCP server, and a block in the instructions that it reads.
//
// It plans all edits before it writes any. It follows no symbolic link, writes only inside the
// project or the user's home, and remembers in the user's own folder what it had to create.
package install
