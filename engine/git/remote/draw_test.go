package remote_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/git/remote"
)

// drawable makes a repository with a commit on main, a tag and a branch.
func drawable(t *testing.T) (dir, head string) {
	t.Helper()
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("GIT_TERMINAL_PROMPT", "0")
	dir = filepath.Join(t.TempDir(), "src.git")
	git(t, t.TempDir(), "init", "-q", "--bare", "-b", "main", dir)
	top := strings.TrimSpace(git(t, dir, "mktree"))
	head = strings.TrimSpace(git(t, dir, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit-tree", "-m", "one", top))
	git(t, dir, "update-ref", "refs/heads/main", head)
	git(t, dir, "-c", "user.name=a", "-c", "user.email=a@example.org", "tag", "-a", "-m", "a tag", "v1", head)
	git(t, dir, "update-ref", "refs/tags/tree", top)
	return dir, head
}

func TestDraw(t *testing.T) {
	dir, head := drawable(t)
	plain := backend(t, filepath.Dir(dir), nil)
	away := backend(t, filepath.Dir(dir), func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, plain+r.URL.RequestURI(), http.StatusFound)
		})
	})
	mute := backend(t, filepath.Dir(dir), func(http.Handler) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	})
	many := remote.DrawBounds()
	for _, tc := range []struct {
		name, at, ref string
		bounds        remote.Bounds
		want          error // nil: it succeeds
		any           bool  // any error will do
	}{
		{"a folder", dir, "", many, nil, false},
		{"a file address", "file://" + filepath.ToSlash(dir), "main", many, nil, false},
		{"over HTTP", plain + "/src.git", "main", many, nil, false},
		{"an annotated tag", dir, "v1", many, nil, false},
		{"a commit", dir, head, many, nil, false},
		{"a tag of a tree", dir, "refs/tags/tree", many, nil, true},
		{"a ref that is not there", dir, "gone", many, remote.ErrNoRef, false},
		{"a commit that is not there", dir, strings.Repeat("1", 40), many, remote.ErrNoRef, false},
		{"a repository that is not there", filepath.Join(dir, "none"), "", many, remote.ErrGone, false},
		{"a redirect", away + "/src.git", "", many, nil, true},
		{"more than may be", dir, "", remote.Bounds{Bytes: 10, Time: time.Minute}, remote.ErrLarge, false},
		{"a server that says nothing", mute + "/src.git", "", remote.Bounds{Bytes: 1 << 20, Time: time.Second}, remote.ErrSlow, false},
		{"a program as a transport", "ext::touch " + filepath.Join(dir, "hit"), "", many, nil, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			temp := t.TempDir()
			t.Setenv("TMPDIR", temp)
			d, err := remote.Draw(t.Context(), tc.at, tc.ref, tc.bounds)
			switch {
			case tc.want == nil && !tc.any:
				if err != nil || d.Commit.String() != head {
					t.Fatalf("%v, want %s", err, head)
				}
				if err := d.Close(); err != nil {
					t.Error(err)
				}
			case err == nil || tc.want != nil && !errors.Is(err, tc.want):
				t.Errorf("%v, want %v", err, tc.want)
			}
			if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
				t.Errorf("it leaves %v, %v", left, err)
			}
			if _, err := os.Lstat(filepath.Join(dir, "hit")); err == nil {
				t.Error("a program ran")
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := remote.Draw(ctx, dir, "", many); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
