package gitea

import "context"

// unlessYoung calls ask, a request about pull requests, and reports whether it failed
// because the server takes the repository for empty. The server does so for some seconds
// after the first push too, and answers 404 meanwhile (measured with 1.26.0). If that may
// have ended between the two requests, it asks once more.
func (api *pullAPI) unlessYoung(ctx context.Context, ask func() error) (young bool, err error) {
	if err = ask(); !missing(err) {
		return false, err
	}
	if repo, looked := api.repository(ctx); looked == nil && repo.Empty {
		return true, err
	}
	return false, ask()
}
