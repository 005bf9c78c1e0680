//go:build !unix

package gitstore

// ownedByAnother: owners are not compared here; git, which lets the checkout
// follow, does.
func ownedByAnother(string) bool { return false }
