// Package clients has the commands about agent clients: connect, disconnect and mcp.
package clients
