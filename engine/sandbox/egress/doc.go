// Package egress is the only way out to the network that a program in the sandbox can
// have: an HTTP proxy that connects to the hosts it was given and to no other.
//
// It looks names up itself and connects to the very address that it looked at, so a
// name cannot mean something else a moment later. Addresses of this machine and of private
// networks are refused unless they were given as addresses.
//
// It does not look into what is sent: an allowed host can receive anything, and
// behind an encrypted connection another name may be served.
package egress
