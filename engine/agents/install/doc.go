// Package install adds the entries that an agent client needs to the client's own files,
// and removes them again: the MCP server, the hooks, and a block in its
// instructions; and names the client's folder of skills.
//
// It plans all edits before it writes any. It follows no symbolic link, writes only inside
// the project or the user's home, and records in the user's own folder what it created.
package install
