package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// listing is how many characters of each prompt a client spends on its list of skills, 0 for no known
// limit. Claude Code 2.1.330 takes 1 % of the window, four characters a token: 8 000 of 200 000 tokens.
var listing = map[Client]int{ClaudeCode: 8000}

// Listing is the budget of the client's list of skills, in characters; 0 is no limit.
func (w Where) Listing() int { return listing[w.Client] }

// SkillsDir returns the client's folder of skills. It is refused if its path contains a
// symbolic link or a file.
func (w Where) SkillsDir() (string, error) {
	name := ".claude/skills"
	if w.Client == Codex {
		name = ".agents/skills"
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
