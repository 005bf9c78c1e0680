// Package clients has the commands about agent clients: connect, disconnect, sync, mcp and hook.
package clients
