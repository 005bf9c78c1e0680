package gitstore

import (
	"context"
	"os"
	"strings"

	"github.com/assent-dev/assent/engine/git/gitrun"
)

// User returns the name and address of the user: GIT_AUTHOR_NAME and GIT_AUTHOR_EMAIL, else
// user.name and user.email, else "". Many users set these in an included file, by folder or
// remote, so git is asked if a file has includes or none has a value. A name grants no rights.
func (s *Settings) User() (name, email string) {
	name, email = os.Getenv("GIT_AUTHOR_NAME"), os.Getenv("GIT_AUTHOR_EMAIL")
	if name == "" {
		name = s.identity("user.name")
	}
	if email == "" {
		email = s.identity("user.email")
	}
	return strings.TrimSpace(name), strings.TrimSpace(email)
}

func (s *Settings) identity(key string) string {
	s.asked.Lock()
	defer s.asked.Unlock()
	if known, ok := s.answers[key]; ok {
		return known
	}
	value := s.Config(key)
	if value == "" || s.config.includes() {
		if out, ok := s.askGit(key); ok {
			value = out
		}
	}
	s.answers[key] = value
	return value
}

// askGit returns git's value of a key, with includes. ok is false if git is not installed or
// the key is unset.
func (s *Settings) askGit(key string) (string, bool) {
	out, err := gitrun.Output(context.Background(), gitrun.Call{GitDir: s.place.gitDir, Args: []string{"config", "--includes", "--get", key}}, "")
	return strings.TrimRight(string(out), "\n"), err == nil
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v = strings.TrimSpace(v); v != "" {
			return v
		}
	}
	return ""
}
