package github

import (
	"context"
	"fmt"
	"net/url"
)

// escape makes one segment of a path. go-github escapes branches, but not labels.
func escape(s string) string { return url.PathEscape(s) }

// do asks what go-github has no call for, or one that writes more than is meant.
// Body and answer may be nil.
func (h *Host) do(ctx context.Context, method, path string, body, answer any) error {
	req, err := h.api.NewRequest(method, path, body)
	if err != nil {
		return err
	}
	_, err = h.api.Do(ctx, req, answer)
	return err
}

// path is an address of the API within the repository.
func (h *Host) path(format string, args ...any) string {
	return "repos/" + h.owner + "/" + h.repo + "/" + fmt.Sprintf(format, args...)
}
