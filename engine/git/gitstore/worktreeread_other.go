//go:build !linux

package gitstore

// diskFiles reads regular files below a folder, which no link leads out of.
type diskFiles struct{ root string }

func openDisk(root string) (diskFiles, error) { return diskFiles{root: root}, nil }

func (d diskFiles) read(path string, _ []byte) (diskFile, error) { return readInRoot(d.root, path) }
