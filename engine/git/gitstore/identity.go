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
func (r *Repo) User() (name, email string) {
	name, email = os.Getenv("GIT_AUTHOR_NAME"), os.Getenv("GIT_AUTHOR_EMAIL")
	if name == "" {
		name = r.identity("user.name")
	}
	if email == "" {
		email = r.identity("user.email")
	}
	return strings.TrimSpace(name), strings.TrimSpace(email)
}

func (r *Repo) identity(key string) string {
	r.asked.Lock()
	defer r.asked.Unlock()
	if known, ok := r.answers[key]; ok {
		return known
	}
	value := r.Config(key)
	if value == "" || r.config.includes() {
		if said, ok := r.askGit(key); ok {
			value = said
		}
	}
	r.answers[key] = value
	return value
}

// askGit asks the git program what is configured, includes followed; false when
// it is not installed or knows no answer.
func (r *Repo) askGit(key string) (string, bool) {
	out, err := gitrun.Output(context.Background(), gitrun.Call{GitDir: r.gitDir, Args: []string{"config", "--includes", "--get", key}}, "")
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
