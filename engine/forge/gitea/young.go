package gitea

import "context"

// unlessYoung asks something that has to do with pull requests, and reports whether it
// failed because the server holds the repository for empty. The server does so for some
// seconds after the first push as well, and says meanwhile that nothing is found (measured
// with 1.26.0). Where that may have ended between the two questions it asks once more.
func (api *pullAPI) unlessYoung(ctx context.Context, ask func() error) (young bool, err error) {
	if err = ask(); !missing(err) {
		return false, err
	}
	if repo, looked := api.repository(ctx); looked == nil && repo.Empty {
		return true, err
	}
	return false, ask()
}
