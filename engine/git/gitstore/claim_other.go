//go:build !unix

package gitstore

import (
	"errors"
	"io/fs"
	"os"
)

// Without advisory locks there are no claims. Files of killed processes are found by age.

func holdFile(File) error           { return errors.ErrUnsupported }
func tryHoldFile(*os.File) bool     { return false }
func fileNumber(fs.FileInfo) string { return "" }
