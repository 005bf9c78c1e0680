//go:build !unix

package gitstore

import (
	"errors"
	"io/fs"
	"os"
)

// Without advisory locks nothing is claimed, and what a killed process left
// is found by its age.

func holdFile(File) error           { return errors.ErrUnsupported }
func tryHoldFile(*os.File) bool     { return false }
func fileNumber(fs.FileInfo) string { return "" }
