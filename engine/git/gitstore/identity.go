package gitstore

import (
	"context"
	"os"
	"strings"

	"github.com/assent-dev/assent/engine/git/gitrun"
)

// User is the person who writes: GIT_AUTHOR_NAME and GIT_AUTHOR_EMAIL, else
// user.name and user.email; "" where neither says. Many people keep these in a
// file that another one includes, by folder or by remote, so that git itself is
// asked where files include others or do not say. No right follows from a name.
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
		if said, ok := s.askGit(key); ok {
			value = said
		}
	}
	s.answers[key] = value
	return value
}

// askGit asks the git program what is configured, includes followed; false when
// it is not installed or knows no answer.
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
