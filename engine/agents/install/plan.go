package install

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/agents/settings"
)

// Where selects the settings of a client, and the server to register there.
type Where struct {
	Client Client
	// Dir is the project's folder, or the user's home if User is set.
	Dir  string
	User bool
	// Command and Args start the server, Hook the program that answers the client's events, as a line
	// of a shell.
	Command string
	Args    []string
	Hook    string
	// Env is what the server needs in its environment, which some clients do not pass on.
	Env map[string]string
}

// Edit is one file change. After is nil if the file is to be deleted, Before if it does not
// exist.
type Edit struct {
	Dir, Name     string
	Before, After []byte
	// Note is a warning about the file as it is, "" for none.
	Note string
}

// Changes reports whether there is anything to do.
func (e Edit) Changes() bool {
	return !bytes.Equal(e.Before, e.After) || (e.Before == nil) != (e.After == nil)
}

// Path is the file.
func (e Edit) Path() string { return filepath.Join(e.Dir, filepath.FromSlash(e.Name)) }

// Refused is the reason why a file is not edited.
type Refused struct {
	Path string
	Err  error
	Fix  string
}

// Error names file and line.
func (r *Refused) Error() string { return r.Path + ": " + r.Err.Error() }

// Unwrap is why.
func (r *Refused) Unwrap() error { return r.Err }

// maxFile bounds a client's file, in bytes.
const maxFile = 16 << 20

const instructions = `## assent

Your approved skills and tools are in assent, an MCP server of this client.

- Before you build something, look for it: ` + "`find`" + `, then ` + "`load`" + ` a skill and follow it, or ` + "`call`" + ` a tool by name.
- Do not run a tool's code yourself, and do not edit installed skills: propose the change.
- What is missing you ` + "`propose`" + ` with a goal and files, or ` + "`report`" + `. A person decides elsewhere; ` + "`status`" + ` says what they said.
- What is merged can be used at once, without a restart.
`

// block takes a line that instructions lose as a former one: else it stays in the files as a line of others.
func block() settings.Block { return settings.Markdown(instructions) }

// Connect plans the edits and updates the memory.
func (w Where) Connect(m Memory) ([]Edit, error) {
	w.noteFolders(m)
	server, err := w.edit(w.serverFile(), func(src []byte, path string) ([]byte, error) {
		if w.Client == Codex {
			out, err := w.table().Set(src)
			m.Note(path, w.Client, settings.Added{File: src == nil})
			return out, err
		}
		if other, err := w.foreign(src); err != nil || other {
			return nil, cmp.Or(err, error(&settings.Fault{Line: 1, What: "mcpServers.assent is there already, and assent did not write it", Fix: "rename that server, or remove it"}))
		}
		entry, err := w.kept(src)
		if err != nil {
			return nil, err
		}
		out, added, err := entry.Set(src)
		m.Note(path, w.Client, added)
		if err == nil && w.hookFile() == w.serverFile() {
			return w.setHooks(m, out, path)
		}
		return out, err
	})
	if err != nil {
		return nil, err
	}
	out := []Edit{server}
	if file := w.hookFile(); file != "" && file != w.serverFile() {
		hooks, err := w.edit(file, func(src []byte, path string) ([]byte, error) { return w.setHooks(m, src, path) })
		if err != nil {
			return nil, err
		}
		out = append(out, hooks)
	}
	name, err := w.textFile()
	if err != nil || name == "" {
		return out, err
	}
	text, err := w.edit(name, func(src []byte, path string) ([]byte, error) {
		m.Note(path, w.Client, settings.Added{File: src == nil})
		return block().Set(src)
	})
	return append(out, text), err
}

// Disconnect plans the edits that remove what Connect added.
func (w Where) Disconnect(m Memory) ([]Edit, error) {
	server, err := w.edit(w.serverFile(), func(src []byte, path string) (_ []byte, err error) {
		made, _ := m.Forget(path, w.Client)
		if src == nil {
			return nil, nil
		}
		if w.Client == Codex {
			return w.table().Remove(src, made.File)
		}
		if w.hookFile() == w.serverFile() {
			if src, err = w.removeHooks(m, src, path); err != nil {
				return nil, err
			}
		}
		if other, err := w.foreign(src); err != nil || other {
			return src, err
		}
		return w.entry().Remove(src, made)
	})
	if err != nil {
		return nil, err
	}
	out := []Edit{server}
	if file := w.hookFile(); file != "" && file != w.serverFile() {
		hooks, err := w.edit(file, func(src []byte, path string) ([]byte, error) { return w.removeHooks(m, src, path) })
		if err != nil {
			return nil, err
		}
		out = append(out, hooks)
	}
	var names []string
	for _, name := range shapes[w.Client].texts {
		names = append(names, w.linked(name))
	}
	if w.User {
		names = []string{shapes[w.Client].userText}
	}
	for i, name := range names {
		if name == "" || slices.Contains(names[:i], name) {
			continue
		}
		text, err := w.edit(name, func(src []byte, path string) ([]byte, error) {
			made, others := m.Forget(path, w.Client)
			if src == nil || others {
				return src, nil
			}
			return block().Remove(src, made.File)
		})
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}

func (w Where) edit(name string, change func(src []byte, path string) ([]byte, error)) (Edit, error) {
	e := Edit{Dir: w.Dir, Name: name}
	var err error
	if e.Before, err = read(w.Dir, name); err != nil {
		return e, err
	}
	if e.After, err = change(e.Before, e.Path()); err != nil {
		r := &Refused{Path: e.Path(), Err: err}
		if f := (*settings.Fault)(nil); errors.As(err, &f) {
			r.Fix = f.Fix
		}
		return e, r
	}
	return e, nil
}

// read reads a regular file below a folder; it returns nil if there is none.
func read(dir, name string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the folder of the settings: %w", err)
	}
	defer root.Close()
	if err := plain(root, dir, name); err != nil {
		return nil, err
	}
	f, err := root.Open(filepath.FromSlash(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(dir, name), err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(dir, name), err)
	}
	if len(data) > maxFile {
		return nil, &Refused{Path: filepath.Join(dir, name), Err: fmt.Errorf("it has more than %d bytes", maxFile)}
	}
	return append([]byte{}, data...), nil
}

// plain refuses a path that leads through a symbolic link, or to anything but a regular file.
func plain(root *os.Root, dir, name string) error {
	return walk(root, dir, name, func(path string, info fs.FileInfo, last bool) error {
		if info.Mode()&fs.ModeSymlink != 0 || last && !info.Mode().IsRegular() || !last && !info.IsDir() {
			return &Refused{Path: path, Err: errors.New("it is a symbolic link or not a regular file"), Fix: "replace it by its target, or edit the target by hand"}
		}
		return nil
	})
}

// walk looks at each element of a path until one is missing.
func walk(root *os.Root, dir, name string, look func(path string, info fs.FileInfo, last bool) error) error {
	parts := strings.Split(name, "/")
	for i := range parts {
		at := filepath.Join(parts[:i+1]...)
		info, err := root.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("look at %s: %w", filepath.Join(dir, at), err)
		}
		if err := look(filepath.Join(dir, at), info, i == len(parts)-1); err != nil {
			return err
		}
	}
	return nil
}

// Memory records what was created for connections, by file. The caller stores it.
type Memory map[string]Made

// Made is what was created in one file.
type Made struct {
	Clients []Client       `json:"clients"`
	Added   settings.Added `json:"added"`
}

// Note records what a connection of a client created in a file.
func (m Memory) Note(path string, c Client, added settings.Added) {
	had := m[path]
	if added == (settings.Added{}) {
		added = had.Added
	}
	if !slices.Contains(had.Clients, c) {
		had.Clients = append(had.Clients, c)
	}
	m[path] = Made{had.Clients, added}
}

// Has reports whether something was recorded about a file.
func (m Memory) Has(path string) bool { _, is := m[path]; return is }

// Forget returns what was created, and whether another client still needs it.
func (m Memory) Forget(path string, c Client) (settings.Added, bool) {
	had, ok := m[path]
	if !ok {
		return settings.Added{}, false
	}
	had.Clients = slices.DeleteFunc(slices.Clone(had.Clients), func(have Client) bool { return have == c })
	if len(had.Clients) > 0 {
		m[path] = had
		return had.Added, true
	}
	delete(m, path)
	return had.Added, false
}
