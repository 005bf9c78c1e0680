package gitstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// initConfig is what `git init` writes.
const initConfig = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n"

// Init makes dir a repository with the unborn branch main, as `git init -b main`
// does; no git program is needed. A repository that is there already is opened
// and left alone; one above dir does not count.
func Init(dir string) (*Repo, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("making repository: %w", err)
	}
	gitDir, root, err := candidate(abs)
	if err != nil {
		return nil, err
	}
	if gitDir != "" {
		return openAt(gitDir, root)
	}
	gitDir = filepath.Join(abs, ".git")
	for _, sub := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags", "info", "hooks"} {
		if err := os.MkdirAll(filepath.Join(gitDir, filepath.FromSlash(sub)), 0o777); err != nil {
			return nil, fmt.Errorf("making repository: %w", err)
		}
	}
	// HEAD last: a folder without it is no repository, so a half-made one is
	// completed by the next Init.
	for _, f := range []struct{ name, content string }{
		{"config", initConfig},
		{"description", "Unnamed repository; edit this file to name it for gitweb.\n"},
		{"HEAD", "ref: refs/heads/main\n"},
	} {
		path := filepath.Join(gitDir, f.name)
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err == nil {
			_, err = file.WriteString(f.content)
			err = errors.Join(err, file.Sync(), file.Close())
		}
		if err != nil {
			return nil, fmt.Errorf("making repository: %w", err)
		}
	}
	if err := syncDir(gitDir); err != nil {
		return nil, fmt.Errorf("making repository: %w", err)
	}
	return openAt(gitDir, abs)
}
