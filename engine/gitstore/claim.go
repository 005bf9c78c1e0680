package gitstore

import (
	"bufio"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A lock file of Git's says nothing of who made it, and its content is spoken
// for. So a transaction writes a claim: a file of its own that lists what it has
// made, and that it holds an advisory lock on, which ends with the process
// however that ends. What a claim lists whose lock is free was left by the dead
// and can be cleared away at once, with no guess about its age. Only files that
// are still exactly those that were claimed are touched: in between, Git may have
// made a lock of the same name.
//
// Claims lie in .git/assent/claims. They are a convenience and not durable:
// without one, a lock is stale by its age alone, as ever in Git. So it is where a
// process was killed in the instant between making a lock and claiming it.

// claim is the claim of one transaction; nil claims nothing.
type claim struct {
	disk Disk
	path string
	file File
	// stuck: something that was claimed could not be removed, so the claim stays for
	// somebody else to try.
	stuck bool
}

func claimsDir(commonDir string) string { return filepath.Join(commonDir, "assent", "claims") }

// newClaim makes a claim, after clearing away what the dead have left. That it
// cannot be made, on a file system without locks or in a folder that is not ours,
// is no reason not to work.
func (r *Repo) newClaim() *claim {
	r.clearLeftBehind()
	dir := claimsDir(r.commonDir)
	if _, err := makeDirs(r.disk, dir); err != nil {
		return nil
	}
	c := &claim{disk: r.disk, path: filepath.Join(dir, rand.Text())}
	var err error
	if c.file, err = r.disk.OpenFile(c.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); err != nil {
		return nil
	}
	if holdFile(c.file) != nil {
		c.release()
		return nil
	}
	return c
}

// made claims a file that was just made and is empty.
func (c *claim) made(path string, file File) {
	if c != nil {
		c.line(file, path, "")
	}
}

// content claims a file with the content that is about to be written to it.
func (c *claim) content(path string, file File, content string) {
	if c != nil {
		c.line(file, path, content)
	}
}

// name claims a name that nobody else would give a file, before there is one.
func (c *claim) name(path string) {
	if c != nil {
		c.write(claimed{path: path})
	}
}

func (c *claim) line(file File, path, content string) {
	if info, err := file.Stat(); err == nil {
		sum := sha256.Sum256([]byte(content))
		c.write(claimed{path: path, number: fileNumber(info), sum: hex.EncodeToString(sum[:])})
	}
}

// write adds a line. A claim that cannot be written is one that does not help.
func (c *claim) write(line claimed) {
	_, _ = c.file.Write(fmt.Appendf(nil, "%q %q %q\n", line.number, line.sum, line.path))
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

// is reports whether the file is there, and is the one that was claimed. A later
// one of its name differs in its number, or in what it holds.
func (c claimed) is() bool {
	info, err := os.Lstat(c.path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	if c.number == "" {
		return true
	}
	content, err := os.ReadFile(c.path)
	sum := sha256.Sum256(content)
	return err == nil && fileNumber(info) == c.number && hex.EncodeToString(sum[:]) == c.sum
}

// leftBehind calls visit for every claim whose process has died, with what it
// made and what is still there, while nobody else can look at that claim.
func leftBehind(commonDir string, visit func(claim string, left []claimed)) {
	dir := claimsDir(commonDir)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		file, err := os.Open(path)
		if err != nil {
			continue
		}
		if tryHoldFile(file) {
			visit(path, readClaim(file))
		}
		_ = file.Close()
	}
}

func readClaim(file *os.File) []claimed {
	var left []claimed
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var c claimed
		if _, err := fmt.Sscanf(lines.Text(), "%q %q %q", &c.number, &c.sum, &c.path); err == nil && c.is() {
			left = append(left, c)
		}
	}
	return left
}

// clearLeftBehind removes what dead processes left: their locks, protections and
// unfinished packs. Two that clear at once do not meet: a claim is held by one.
func (r *Repo) clearLeftBehind() {
	leftBehind(r.commonDir, func(path string, left []claimed) {
		for _, c := range left {
			if err := r.disk.Remove(c.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return // the claim stays, for the next one to try
			}
		}
		_ = r.disk.Remove(path)
	})
}
