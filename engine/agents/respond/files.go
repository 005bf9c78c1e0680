package respond

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/assent-dev/assent/engine/agents/hook"
	"github.com/assent-dev/assent/engine/agents/project"
	"github.com/assent-dev/assent/engine/agents/skillsync"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/home"
	"github.com/assent-dev/assent/engine/home/keys"
)

// absolute is the path of a file that an event names, without symbolic links in its folder.
func absolute(e *hook.Event, file string) string {
	if rest, ok := strings.CutPrefix(file, "~/"); ok {
		if own, err := os.UserHomeDir(); err == nil {
			file = filepath.Join(own, rest)
		}
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(e.Dir, file)
	}
	file = filepath.Clean(file)
	if dir, err := skillsync.RealPath(filepath.Dir(file)); err == nil {
		file = filepath.Join(dir, filepath.Base(file))
	}
	return file
}

// keeper says how a synced folder keeps a file, or what may become a folder. A synced folder whose manifest is damaged hides no other one.
func keeper(file string, folder bool) (kept skillsync.Kept, damage error) {
	dir, err := keys.Home()
	if err != nil {
		return kept, err
	}
	targets, err := skillsync.Targets(home.At(dir))
	for _, t := range targets {
		found, wrong := t.Keeps(home.At(dir), file, folder)
		if err = errors.Join(err, wrong); found != (skillsync.Kept{}) {
			return found, err
		}
	}
	return kept, err
}

// shows reports whether an output has a line of a skill's text, after its front matter: the start of the file tells
// only what each prompt lists anyway, and a command may only name the file. A pipe, or a link out of its folder, shows none.
func shows(output, file string) bool {
	f, err := home.At(filepath.Dir(file)).Open(filepath.Base(file))
	if err != nil {
		return false
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, maxTail))
	_, body, _ := strings.Cut(string(text), "\n---")
	for _, line := range strings.Split(body, "\n") {
		if line = strings.TrimSpace(line); len(line) > minShown && strings.Contains(output, line) {
			return true
		}
	}
	return false
}

// minShown is how many bytes a line needs, so that no other text has it.
const minShown = 16

// governed reports whether only a merge can bring a change of a file into force.
func (r Responder) governed(file string) (bool, error) {
	if r.Workspace == "" {
		return false, nil
	}
	repo, _, err := project.Open(r.Workspace)
	if err != nil {
		return false, nil //nolint:nilerr // a workspace that is not there governs no file
	}
	top, err := filepath.EvalSymlinks(repo.Top())
	if err != nil {
		return false, fmt.Errorf("find the workspace: %w", err)
	}
	rel, err := filepath.Rel(top, file)
	return err == nil && filepath.IsLocal(rel) && names.Governed(filepath.ToSlash(rel)), nil
}
