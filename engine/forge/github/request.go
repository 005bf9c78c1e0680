package github

import (
	"context"
	"fmt"
	"net/url"

	"github.com/google/go-github/v60/github"
)

// escape encodes one segment of a path. go-github escapes branches, but not labels.
func escape(s string) string { return url.PathEscape(s) }

// do sends a request that go-github lacks, or for which it writes too much. Body and
// answer may be nil.
func (s *server) do(ctx context.Context, by *github.Client, method, path string, body, answer any) error {
	req, err := by.NewRequest(method, path, body)
	if err != nil {
		return err
	}
	_, err = by.Do(ctx, req, answer)
	return err
}

// path returns an API path within the repository.
func (s *server) path(format string, args ...any) string {
	return "repos/" + s.owner + "/" + s.repo + "/" + fmt.Sprintf(format, args...)
}
