// Package discover searches the capabilities in force for a caller: it leaves out what the caller
// may not use or did not ask for, and puts last, with the reason, what cannot be used now.
//
// It never starts a capability, and its order admits nothing: whether a call is allowed is decided
// when it is made (package tool).
package discover
