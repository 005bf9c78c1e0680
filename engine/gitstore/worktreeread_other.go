//go:build !linux

package gitstore

// readWorktreeFile reads a regular file below root without leaving it by a link.
func readWorktreeFile(root, path string) ([]byte, error) { return readInRoot(root, path) }
