//go:build !unix

package gitstore

// ownedByAnother returns false: owners are not compared on this system, except by git when it
// updates the checkout.
func ownedByAnother(string) bool { return false }
