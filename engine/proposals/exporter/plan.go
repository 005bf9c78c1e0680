package exporter

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
)

// Found is the result of comparing a file with the disk.
type Found string

// The results of comparing a file.
const (
	New     Found = "new"
	Same    Found = "same"
	Older   Found = "older"   // as an earlier export wrote it: it is updated
	Left    Found = "left"    // an earlier export wrote it, and it is no longer in force: it is removed
	Kept    Found = "kept"    // the same, but edited since: it stays
	Differs Found = "differs" // a content that no export wrote
	InWay   Found = "in_way"  // a link, a folder or another object is there, or a file where a folder must be
)

// Blocked reports whether the file cannot be written.
func (f Found) Blocked() bool { return f == Differs || f == InWay }

// Item is a file and its comparison.
type Item struct {
	File
	Found Found
	// disk is the content on the disk when compared.
	disk tree.Hash
}

// Plan lists the steps of a copy: its files in order, then the removed ones.
type Plan struct {
	Copy
	Items []Item
}

// Blocked reports whether any item blocks the export. Then nothing is written.
func (p Plan) Blocked() bool {
	return slices.ContainsFunc(p.Items, func(i Item) bool { return i.Found.Blocked() })
}

// Compare compares a copy with dir/NAME. It writes nothing; a missing dir counts as empty. It
// calls earlier only if needed.
func Compare(dir string, c Copy, earlier func() (Earlier, error)) (Plan, error) {
	p := Plan{Copy: c}
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		for _, f := range c.Files {
			p.Items = append(p.Items, Item{File: f, Found: New})
		}
		return p, nil
	}
	if err != nil {
		return p, fmt.Errorf("look at %s: %w", dir, err)
	}
	defer root.Close()
	for _, f := range c.Files {
		i := Item{File: f}
		if i.Found, i.disk, err = look(root, path.Join(c.Name, f.Path), f); err != nil {
			return p, fmt.Errorf("look at %s in %s: %w", path.Join(c.Name, f.Path), dir, err)
		}
		p.Items = append(p.Items, i)
	}
	others, err := p.others(root)
	if err != nil {
		return p, fmt.Errorf("look at %s in %s: %w", c.Name, dir, err)
	}
	if len(others) == 0 && !p.Blocked() {
		return p, nil
	}
	known, err := earlier()
	if err != nil {
		return p, fmt.Errorf("find what earlier exports of %s wrote: %w", c.Name, err)
	}
	if err := p.judge(root, known, others); err != nil {
		return p, fmt.Errorf("look at %s in %s: %w", c.Name, dir, err)
	}
	return p, nil
}

// look compares one file; every folder above it must be a folder, not a link.
func look(root *os.Root, name string, f File) (Found, tree.Hash, error) {
	for i := range name {
		if name[i] != '/' {
			continue
		}
		info, err := root.Lstat(name[:i])
		if errors.Is(err, fs.ErrNotExist) {
			return New, tree.Hash{}, nil
		}
		if err != nil {
			return "", tree.Hash{}, err
		}
		if !info.IsDir() {
			return InWay, tree.Hash{}, nil
		}
	}
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return New, tree.Hash{}, nil
	case err != nil:
		return "", tree.Hash{}, err
	case !info.Mode().IsRegular():
		return InWay, tree.Hash{}, nil
	}
	disk, err := content(root, name)
	if err != nil {
		return "", tree.Hash{}, err
	}
	executes := runtime.GOOS == "windows" || (info.Mode()&0o100 != 0) == (f.Mode == tree.Executable)
	switch {
	case disk != tree.BlobHash(f.Content) || !executes:
		return Differs, disk, nil
	}
	return Same, disk, nil
}

// others returns the paths of all non-folders at dir/NAME that are not in the copy. Links are not
// followed.
func (p Plan) others(root *os.Root) ([]string, error) {
	var out []string
	info, err := root.Lstat(p.Name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	err = fs.WalkDir(root.FS(), p.Name, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if rest := strings.TrimPrefix(name, p.Name+"/"); !slices.ContainsFunc(p.Items, func(i Item) bool { return i.Path == rest || p.same(root, i, rest) }) {
			out = append(out, rest)
		}
		return nil
	})
	return out, err
}

// same reports whether a case-insensitive system has an item under another spelling.
func (p Plan) same(root *os.Root, i Item, other string) bool {
	if !strings.EqualFold(i.Path, other) {
		return false
	}
	a, errA := root.Lstat(path.Join(p.Name, i.Path))
	b, errB := root.Lstat(path.Join(p.Name, other))
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// content returns the hash of a file's content; zero if there is no regular file.
func content(root *os.Root, name string) (tree.Hash, error) {
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return tree.Hash{}, nil
	}
	if err != nil {
		return tree.Hash{}, err
	}
	data, err := root.ReadFile(name)
	return tree.BlobHash(data), err
}

// judge separates the content of earlier exports from other content.
func (p *Plan) judge(root *os.Root, known Earlier, others []string) error {
	for n, i := range p.Items {
		if i.Found == Differs && known[spelling(i.Path)][i.disk] {
			p.Items[n].Found = Older
		}
	}
	var foreign []string
	for _, o := range others {
		i := Item{File: File{Path: o}, Found: Kept}
		contents, wrote := known[spelling(o)]
		if wrote {
			var err error
			if i.disk, err = content(root, path.Join(p.Name, o)); err != nil {
				return err
			}
			if contents[i.disk] {
				i.Found = Left
			}
			p.Items = append(p.Items, i)
		}
		if i.Found != Left {
			foreign = append(foreign, o)
		}
	}
	for n, i := range p.Items {
		if i.Found != InWay {
			continue
		}
		crosses := func(at string) bool { return strings.HasPrefix(i.Path, at+"/") || strings.HasPrefix(at, i.Path+"/") }
		goes := slices.ContainsFunc(p.Items, func(o Item) bool { return o.Found == Left && crosses(o.Path) })
		if goes && !slices.ContainsFunc(foreign, crosses) {
			p.Items[n].Found = New // the file in the way is removed first
		}
	}
	return nil
}
