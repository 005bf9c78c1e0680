package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/agents/settings"
)

// SkillsDir returns the client's folder of skills. It is refused if its path contains a
// symbolic link or a file.
func (w Where) SkillsDir() (string, error) {
	name := shapes[w.Client].skills
	if w.User {
		name = shapes[w.Client].userSkills
	}
	root, err := os.OpenRoot(w.Dir)
	if err != nil {
		return "", fmt.Errorf("open the folder of the settings: %w", err)
	}
	defer root.Close()
	err = walk(root, w.Dir, name, func(path string, info fs.FileInfo, _ bool) error {
		if !info.IsDir() {
			return &Refused{Path: path, Err: errors.New("it is a symbolic link or a file"), Fix: "assent sync --to DIR writes into the folder that you name"}
		}
		return nil
	})
	return filepath.Join(w.Dir, filepath.FromSlash(name)), err
}

// folders returns the folders of the client's files below Dir, parents before their children.
func (w Where) folders() (out []string) {
	s := shapes[w.Client]
	files := []string{s.server, s.hooks, s.skills + "/x"}
	if w.User {
		files = []string{s.userServer, s.userHooks, s.userText, s.userSkills + "/x"}
	}
	for _, file := range files {
		at := len(out)
		for dir := path.Dir(file); dir != "." && dir != "/" && !slices.Contains(out, dir); dir = path.Dir(dir) {
			out = slices.Insert(out, at, dir)
		}
	}
	return out
}

// noteFolders records which folders are made for the client.
func (w Where) noteFolders(m Memory) {
	for _, dir := range w.folders() {
		at := (Edit{Dir: w.Dir, Name: dir}).Path()
		if _, err := os.Lstat(at); errors.Is(err, fs.ErrNotExist) || m.Has(at) {
			m.Note(at, w.Client, settings.Added{File: err != nil})
		}
	}
}

// Leave forgets the folders that were made for this client only. prune removes those of them that are empty when it
// is called.
func (w Where) Leave(m Memory) (prune func()) {
	var made []string
	for _, dir := range w.folders() {
		at := (Edit{Dir: w.Dir, Name: dir}).Path()
		if m.Has(at) {
			if _, others := m.Forget(at, w.Client); !others {
				made = append(made, dir)
			}
		}
	}
	return func() {
		root, err := os.OpenRoot(w.Dir)
		if err != nil {
			return
		}
		defer root.Close()
		for _, dir := range slices.Backward(made) {
			if entries, err := fs.ReadDir(root.FS(), dir); err == nil && len(entries) == 0 {
				_ = root.Remove(filepath.FromSlash(dir))
			}
		}
	}
}

// Restart lists the clients that see a change in a folder of skills only once they are restarted.
func Restart(dir string) (out []Client) {
	for _, client := range Clients() {
		if s := shapes[client]; s.restarts && s.reads(dir) {
			out = append(out, client)
		}
	}
	return out
}

// ForSkills reports whether a folder is one that a client reads skills from.
func ForSkills(dir string) bool {
	return slices.ContainsFunc(Clients(), func(c Client) bool { return shapes[c].reads(dir) })
}

// reads reports whether the client reads skills from a folder, in a project or in a user's home.
func (s shape) reads(dir string) bool {
	at := filepath.ToSlash(dir)
	return strings.HasSuffix(at, "/"+s.userSkills) || s.skills != "" && strings.HasSuffix(at, "/"+s.skills)
}

// SharesSkills reports whether another client that is connected here uses the same folder of skills.
func (w Where) SharesSkills(m Memory) bool {
	own := shapes[w.Client]
	for client, s := range shapes {
		other := Where{Client: client, Dir: w.Dir, User: w.User}
		same := s.skills == own.skills
		if w.User {
			same = s.userSkills == own.userSkills
		}
		at := (Edit{Dir: w.Dir, Name: other.serverFile()}).Path()
		if client != w.Client && same && slices.Contains(m[at].Clients, client) {
			return true
		}
	}
	return false
}
