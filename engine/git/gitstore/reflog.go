package gitstore

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
)

// reflog is one open log file.
type reflog struct {
	file File
	who  string
}

func (s *RefStore) logPath(name string) string {
	return filepath.Join(s.refDir(name), "logs", filepath.FromSlash(name))
}

// openReflogs opens the logs that record a move of the ref: its own, and HEAD's if the ref is
// checked out here.
func (s *RefStore) openReflogs(name string) ([]reflog, error) {
	names := []string{name}
	if head, err := s.readLooseRef("HEAD"); err == nil && head.Symbolic == name {
		names = append(names, "HEAD")
	}
	var logs []reflog
	for _, n := range names {
		l, err := s.openReflog(n)
		if err != nil {
			for _, l := range logs {
				l.close()
			}
			return nil, fmt.Errorf("opening its reflog: %w", err)
		}
		if l.file != nil {
			logs = append(logs, l)
		}
	}
	return logs, nil
}

func (s *RefStore) openReflog(name string) (reflog, error) {
	path, flags := s.logPath(name), os.O_WRONLY|os.O_APPEND
	if s.logs(name) {
		flags |= os.O_CREATE
		if isDir(path) {
			clearEmptyDirs(s.disk, path)
		}
		if _, err := makeDirs(s.disk, filepath.Dir(path)); err != nil {
			return reflog{}, err
		}
	}
	f, err := s.disk.OpenFile(path, flags, 0o666)
	if err != nil {
		if flags&os.O_CREATE == 0 && absent(err) {
			return reflog{}, nil
		}
		return reflog{}, err
	}
	name, email := s.settings.User()
	p := Person{firstOf(os.Getenv("GIT_COMMITTER_NAME"), name, "assent"), firstOf(os.Getenv("GIT_COMMITTER_EMAIL"), email), time.Now()}
	who, err := personLine(p)
	return reflog{f, who}, err
}

// logs applies core.logAllRefUpdates, but always logs branches in bare repositories too,
// because merges happen there.
func (s *RefStore) logs(name string) bool {
	setting := strings.ToLower(s.settings.Config("core.logallrefupdates"))
	switch {
	case setting == "always":
		return true
	case setting != "" && !Truth(setting):
		return false
	case strings.HasPrefix(name, "refs/heads/"):
		return true
	case s.place.Bare() && setting == "":
		return false
	}
	return name == "HEAD" || strings.HasPrefix(name, "refs/remotes/") || strings.HasPrefix(name, "refs/notes/")
}

// append writes one line in a single write, so that lines of several writers never mix. It does
// not sync: a log is for people, and no ref depends on it.
func (l reflog) append(before, after tree.Hash, why string) error {
	line := fmt.Sprintf("%s %s %s", before, after, l.who)
	if why = strings.Join(strings.Fields(why), " "); why != "" {
		line += "\t" + why
	}
	if _, err := l.file.Write([]byte(line + "\n")); err != nil {
		return fmt.Errorf("writing its reflog: %w", err)
	}
	return nil
}

func (l reflog) close() { _ = l.file.Close() }
