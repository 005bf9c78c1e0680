package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/google/go-github/v60/github"

	"github.com/assent-dev/assent/engine/forge/host"
)

// installation is the credential of an App in one repository: a token for that repository
// alone, valid for an hour.
type installation struct {
	app         *appClient
	owner, repo string
	now         func() time.Time
	given       bool // the user named the installation

	mu    sync.Mutex
	id    int64
	token string
	ends  time.Time
	may   map[string]string // permission → level, as given with the token
}

// permissions returns those of the current token; nil if GitHub did not report them.
func (i *installation) permissions() map[string]string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.may
}

func (a *appClient) installation(o Options) *installation {
	return &installation{app: a, owner: o.Owner, repo: o.Repo, now: o.Now, id: o.App.Installation, given: o.App.Installation != 0}
}

// early is how long before its expiry a token is renewed: longer than a request takes.
const early = 5 * time.Minute

func (i *installation) present(ctx context.Context, impatient bool) (string, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.token == "" || i.now().After(i.ends.Add(-early)) {
		if err := i.renew(ctx, impatient); err != nil {
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

func (i *installation) renew(ctx context.Context, impatient bool) error {
	if i.id == 0 {
		found, _, err := i.app.clients(impatient).usual.Apps.FindRepositoryInstallation(ctx, i.owner, i.repo)
		if err != nil {
			return explainApp("find the App's installation", err, i.owner+"/"+i.repo)
		}
		i.id = found.GetID()
	}
	fresh, _, err := i.app.clients(impatient).repeatable.Apps.CreateInstallationToken(ctx, i.id,
		&github.InstallationTokenOptions{Repositories: []string{i.repo}})
	if err != nil {
		err = explainApp("get a token as the App", err, i.owner+"/"+i.repo)
		var d *host.Denied
		if errors.As(err, &d) && i.given && (d.Status == http.StatusNotFound || d.Status == http.StatusUnprocessableEntity) {
			d.Fix = fmt.Sprintf("the installation %d does not belong to this App, or does not include %s/%s: see the App's settings, or leave the installation out to have it looked up", i.id, i.owner, i.repo)
		}
		if !i.given {
			i.id = 0 // the App may have been reinstalled
		}
		return err
	}
	if fresh.GetToken() == "" || fresh.GetExpiresAt().IsZero() {
		return errors.New("get a token as the App: the answer has no token")
	}
	i.token, i.ends, i.may = fresh.GetToken(), fresh.GetExpiresAt().Time, nil
	if p := fresh.GetPermissions(); p != nil {
		i.may = map[string]string{"contents": p.GetContents(), "pull_requests": p.GetPullRequests(), "checks": p.GetChecks()}
	}
	return nil
}
