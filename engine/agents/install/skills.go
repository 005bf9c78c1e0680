package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// Restart lists the clients that see a change in a folder of skills only once they are restarted.
func Restart(dir string) (out []Client) {
	for _, client := range Clients() {
		s, at := shapes[client], filepath.ToSlash(dir)
		if s.restarts && (strings.HasSuffix(at, "/"+s.userSkills) || s.skills != "" && strings.HasSuffix(at, "/"+s.skills)) {
			out = append(out, client)
		}
	}
	return out
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
