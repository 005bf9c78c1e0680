// Package egress is a sandboxed program's only way to the network: an HTTP proxy that connects
// to the given hosts and to no other.
//
// It resolves names itself and connects to the very address that it checked, so a name cannot
// change its meaning in between. Addresses of this machine and of private networks are refused
// unless they were given as addresses.
//
// It does not inspect the traffic: an allowed host can receive anything, and may serve another
// name over an encrypted connection.
package egress
