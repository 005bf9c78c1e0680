// Package clients has the commands about agent clients: mcp.
package clients
