package gitstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// initConfig is what `git init` writes.
const initConfig = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n"

// Init makes dir a repository with the unborn branch main, as `git init -b main` does, without
// the git program. An existing repository in dir is opened unchanged; one above dir does not
// count.
func Init(dir string) (*Repo, error) { return InitOn(osDisk{}, dir) }

// InitOn is Init with all changes through disk.
func InitOn(disk Disk, dir string) (*Repo, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("making repository: %w", err)
	}
	gitDir, root, err := candidate(abs)
	if err != nil {
		return nil, err
	}
	if gitDir != "" {
		return openOwned(disk, gitDir, root)
	}
	gitDir = filepath.Join(abs, ".git")
	if err := writeLayout(disk, gitDir); err != nil {
		return nil, fmt.Errorf("making repository: %w", err)
	}
	return openAt(disk, gitDir, abs)
}

// writeLayout creates the folders and files of an empty repository, durably.
func writeLayout(disk Disk, gitDir string) error {
	var changed []string
	for _, sub := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags", "info", "hooks"} {
		dirs, err := makeDirs(disk, filepath.Join(gitDir, filepath.FromSlash(sub)))
		if err != nil {
			return err
		}
		changed = append(changed, dirs...)
	}
	// HEAD is last: a folder without it is no repository, so the next Init completes a partial
	// one.
	for _, f := range []struct{ name, content string }{
		{"config", initConfig},
		{"description", "Unnamed repository; edit this file to name it for gitweb.\n"},
		{"HEAD", "ref: refs/heads/main\n"},
	} {
		if err := createFile(disk, filepath.Join(gitDir, f.name), f.content); err != nil {
			return err
		}
	}
	slices.Sort(changed)
	for _, dir := range append(slices.Compact(changed), gitDir) {
		if err := disk.SyncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// createFile creates a file if it is missing. The file gets its name once it is complete, so a
// file left by a crash is complete too.
func createFile(disk Disk, path, content string) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	temp := path + ".new"
	file, err := disk.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write([]byte(content))
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	if err := disk.Rename(temp, path); err != nil {
		if _, gone := os.Lstat(path); errors.Is(err, fs.ErrNotExist) && gone == nil {
			return nil // another process created the same repository first
		}
		return err
	}
	return nil
}
