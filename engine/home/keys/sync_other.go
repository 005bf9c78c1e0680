//go:build !windows

package keys

// unsupportedSync reports whether err only says that folders cannot be synced.
func unsupportedSync(error) bool { return false }
