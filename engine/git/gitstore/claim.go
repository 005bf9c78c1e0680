package gitstore

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// A Git lock file does not tell who created it, and its content is fixed. So a transaction
// writes a claim: a file that lists the files it created, under an advisory lock that ends with
// the process. If that lock is free, the process is dead and its files can be removed at once,
// whatever their age.
//
// Only files that are still identical to the claimed ones are removed, because git may have
// created a lock of the same name since. Only names that a transaction uses are removed,
// because any program can write a claim that names any file (TestClaimsOfAnythingElse). A claim
// that was copied with the folder applies to the copy (TestClaimsOfACopy).
//
// A lock is claimed before it takes effect: the file is created under a unique name in
// .git/assent/locks and then linked to its final name. A process that dies in between leaves no
// lock. Without hard links the lock is created first and claimed after it, so a process that
// dies in between leaves an unclaimed lock.
//
// Claims are in .git/assent/claims. They are an optimisation and not durable: a lock without a
// claim is stale by age alone, as in Git.

// claim is the claim of one transaction; nil claims nothing.
type claim struct {
	disk Disk
	root string // the Git folder; names in the claim are relative to it
	path string
	file File
	// noLinks is set if the file system has no hard links.
	noLinks bool
	// stuck is set if a claimed file could not be removed. The claim then stays for another
	// process to retry.
	stuck bool
}

func claimsDir(commonDir string) string { return filepath.Join(commonDir, "assent", "claims") }

// claimAttempts bounds how often another process may remove a claim between its creation and
// its lock.
const claimAttempts = 8

// newClaim creates a claim, after removing files of dead processes. It returns nil, which
// claims nothing, on a file system without locks or in a folder that is not writable.
func (ls *Locks) newClaim() *claim {
	ls.removeDeadLocks()
	dir := claimsDir(ls.place.commonDir)
	if _, err := makeDirs(ls.disk, dir); err != nil {
		return nil
	}
	for range claimAttempts {
		c := &claim{disk: ls.disk, root: ls.place.commonDir, path: filepath.Join(dir, rand.Text())}
		var err error
		if c.file, err = ls.disk.OpenFile(c.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); err != nil {
			return nil
		}
		if holdFile(c.file) != nil {
			c.release()
			return nil
		}
		if _, err := os.Lstat(c.path); err == nil {
			return c
		}
		c.release()
	}
	return nil
}

// addEmpty claims a newly created, empty file.
func (c *claim) addEmpty(path string, file File) { c.add(path, file, "") }

// addContent claims a file with the content that is about to be written.
func (c *claim) addContent(path string, file File, addContent string) { c.add(path, file, addContent) }

// addName claims a unique name before the file exists.
func (c *claim) addName(path string) {
	if c != nil {
		c.write(claimed{path: path})
	}
}

func (c *claim) add(path string, file File, content string) {
	if c == nil {
		return
	}
	if info, err := file.Stat(); err == nil {
		number, sum := identity(info, []byte(content))
		c.write(claimed{path: path, number: number, sum: sum})
	}
}

// identity distinguishes a file from a later one of the same name: by its inode number, which
// file systems reuse, and its content, or for an empty file its modification time.
func identity(info fs.FileInfo, content []byte) (number, sum string) {
	number = fileNumber(info)
	if number != "" && len(content) == 0 {
		number += " " + info.ModTime().UTC().Format(time.RFC3339Nano)
	}
	digest := sha256.Sum256(content)
	return number, hex.EncodeToString(digest[:])
}

// write appends a line. Errors are ignored: a missing claim only delays the cleanup.
func (c *claim) write(line claimed) {
	if name, err := filepath.Rel(c.root, line.path); err == nil {
		_, _ = c.file.Write(fmt.Appendf(nil, "%q %q %q\n", line.number, line.sum, filepath.ToSlash(name)))
	}
}

func (c *claim) release() {
	if c == nil {
		return
	}
	_ = c.file.Close()
	if !c.stuck {
		_ = c.disk.Remove(c.path)
	}
}

// remove removes a claimed file that is no longer needed.
func (c *claim) remove(disk Disk, path string) {
	if err := disk.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) && c != nil {
		c.stuck = true
	}
}

// claimed is one line of a claim: a file by inode number and digest of its content, or by its
// name alone.
type claimed struct{ number, sum, path string }
