package github

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/go-github/v60/github"
)

// installation is the credential of an App in one repository: a token of an hour,
// for that repository alone.
type installation struct {
	app         *appClient
	owner, repo string
	now         func() time.Time

	mu    sync.Mutex
	id    int64
	token string
	ends  time.Time
}

func (a *appClient) installation(o Options) *installation {
	return &installation{app: a, owner: o.Owner, repo: o.Repo, now: o.Now}
}

// early is how long before its end a token is renewed: longer than a request takes.
const early = 5 * time.Minute

func (i *installation) present(ctx context.Context) (string, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.token == "" || i.now().After(i.ends.Add(-early)) {
		if err := i.renew(ctx); err != nil {
			return "", err
		}
	}
	return i.token, nil
}

func (i *installation) refused() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.token = ""
	return true
}

func (i *installation) renew(ctx context.Context) error {
	if i.id == 0 {
		found, _, err := i.app.api.Apps.FindRepositoryInstallation(ctx, i.owner, i.repo)
		if err != nil {
			return explainApp("find the App's installation", err, i.owner+"/"+i.repo)
		}
		i.id = found.GetID()
	}
	fresh, _, err := i.app.api.Apps.CreateInstallationToken(repeatable(ctx), i.id,
		&github.InstallationTokenOptions{Repositories: []string{i.repo}})
	if err != nil {
		i.id = 0 // it may have been installed anew
		return explainApp("get a token as the App", err, i.owner+"/"+i.repo)
	}
	if fresh.GetToken() == "" || fresh.GetExpiresAt().IsZero() {
		return errors.New("get a token as the App: the answer holds none")
	}
	i.token, i.ends = fresh.GetToken(), fresh.GetExpiresAt().Time
	return nil
}
