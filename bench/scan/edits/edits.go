// Package edits reads clean skills and edits of them, in the form that
// bench/scan/testdata/README.md explains. It judges nothing.
package edits

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
)

// Edit is one change of a clean skill, of a kind such as "obvious".
type Edit struct {
	Kind, Name string
	Base, Head []File
}

// File is a file of a skill, with a path from a workspace's root.
type File struct {
	Path    string
	Content []byte
}

// Load reads every edit of every *.txtar in dir, in order.
func Load(dir string) ([]Edit, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return nil, fmt.Errorf("find edits: %w", err)
	}
	var out []Edit
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			return nil, fmt.Errorf("read edits: %w", err)
		}
		found, err := of(strings.TrimSuffix(filepath.Base(name), ".txtar"), archive)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, found...)
	}
	return out, nil
}

func of(skill string, archive *txtar.Archive) ([]Edit, error) {
	var base []File
	var out []Edit
	for _, f := range archive.Files {
		if rel, ok := strings.CutPrefix(f.Name, "skill/"); ok {
			base = append(base, File{"skills/" + skill + "/" + rel, f.Data})
			continue
		}
		id, rel, _ := strings.Cut(f.Name, " ")
		kind, name, _ := strings.Cut(id, "/")
		name = skill + "/" + name
		i := slices.IndexFunc(out, func(e Edit) bool { return e.Kind == kind && e.Name == name })
		if i < 0 {
			i = len(out)
			out = append(out, Edit{kind, name, base, slices.Clone(base)})
		}
		if err := out[i].apply("skills/"+skill+"/"+rel, string(f.Data)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// apply edits one file of e.Head; what is replaced must stand in it once.
func (e *Edit) apply(path, hunk string) error {
	var old, replacement strings.Builder
	for line := range strings.Lines(hunk) {
		if line[0] != '+' {
			old.WriteString(line[1:])
		}
		if line[0] != '-' {
			replacement.WriteString(line[1:])
		}
	}
	i := slices.IndexFunc(e.Head, func(f File) bool { return f.Path == path })
	if i < 0 {
		e.Head = append(e.Head, File{path, []byte(replacement.String())})
		return nil
	}
	f := &e.Head[i]
	text := "\n" + string(f.Content)
	switch count := strings.Count(text, "\n"+old.String()); {
	case old.Len() == 0:
		f.Content = slices.Concat(f.Content, []byte(replacement.String()))
	case count != 1:
		return fmt.Errorf("%s/%s: what is replaced stands %d times in %s", e.Kind, e.Name, count, path)
	default:
		f.Content = []byte(strings.Replace(text, "\n"+old.String(), "\n"+replacement.String(), 1)[1:])
	}
	return nil
}
