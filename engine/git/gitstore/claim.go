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

// A lock file of Git's says nothing of who made it, and its content is spoken
// for. So a transaction writes a claim: a file of its own that lists what it has
// made, and that it holds an advisory lock on, which ends with the process
// however that ends. What a claim lists whose lock is free was left by the dead
// and can be cleared away at once, with no guess about its age. Only files that
// are still exactly those that were claimed are touched: in between, Git may have
// made a lock of the same name. And only what a transaction makes is: a claim is a
// file that any program can write, and may name anything (TestClaimsOfAnythingElse); one
// that came along with a copy of the folder is about the copy (TestClaimsOfACopy).
//
// A lock is claimed before it is one: the file is made under a name of its own, in
// .git/assent/locks, and linked to where the lock has to be. A process that dies in
// between leaves nothing that locks. Where there are no hard links the lock is made
// first, and the instant between the two remains.
//
// Claims lie in .git/assent/claims. They are a convenience and not durable:
// without one, a lock is stale by its age alone, as ever in Git.

// claim is the claim of one transaction; nil claims nothing.
type claim struct {
	disk Disk
	root string // the Git folder, from which names are written
	path string
	file File
	// noLinks: this file system has no hard links.
	noLinks bool
	// stuck: something that was claimed could not be removed, so the claim stays for
	// another process to try.
	stuck bool
}

func claimsDir(commonDir string) string { return filepath.Join(commonDir, "assent", "claims") }

// claimAttempts bounds how often another process may clear a claim away in the instant in
// which it is there and not held yet.
const claimAttempts = 8

// newClaim makes a claim, after clearing away what the dead have left. That it
// cannot be made, on a file system without locks or in a folder that is not ours,
// is no reason not to work.
func (ls *Locks) newClaim() *claim {
	ls.clearLeftBehind()
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

// made claims a file that was just made and is empty.
func (c *claim) made(path string, file File) { c.line(path, file, "") }

// content claims a file with the content that is about to be written to it.
func (c *claim) content(path string, file File, content string) { c.line(path, file, content) }

// name claims a unique name before the file exists.
func (c *claim) name(path string) {
	if c != nil {
		c.write(claimed{path: path})
	}
}

func (c *claim) line(path string, file File, content string) {
	if c == nil {
		return
	}
	if info, err := file.Stat(); err == nil {
		number, sum := identity(info, []byte(content))
		c.write(claimed{path: path, number: number, sum: sum})
	}
}

// identity tells a file from a later one of its name: by its number, which file
// systems give again, and by what it holds, or since when it holds nothing.
func identity(info fs.FileInfo, content []byte) (number, sum string) {
	number = fileNumber(info)
	if number != "" && len(content) == 0 {
		number += " " + info.ModTime().UTC().Format(time.RFC3339Nano)
	}
	digest := sha256.Sum256(content)
	return number, hex.EncodeToString(digest[:])
}

// write adds a line. A claim that cannot be written is one that does not help.
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

// remove removes a file that was claimed and is not needed any more.
func (c *claim) remove(disk Disk, path string) {
	if err := disk.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) && c != nil {
		c.stuck = true
	}
}

// claimed is one line of a claim: a file by its number and the digest of its
// content, or by its name alone.
type claimed struct{ number, sum, path string }
