package connect

import (
	"context"
	"fmt"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/forge/gitea"
	"github.com/assent-dev/assent/engine/forge/github"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/hosted"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

// Offline gives a workspace its forge without a request: on a service, the record here can be
// read, and changes are refused. env reads the environment, from which git gets its login.
func Offline(w *workspace.Workspace, env func(string) string) (Service, error) {
	s, err := ServiceOf(w.Repo)
	if err != nil {
		return s, err
	}
	w.Repo.AddLogin(GitEnvironment(w.Repo, s, env)...)
	if s.Kind == Local || s.Guessed {
		return s, nil
	}
	use(w, hosted.New(w.Repo, s.Remote, nil, exchange.SyncOf(w, s.Remote)))
	return s, nil
}

// Online gives an offline workspace its login, if there is one, and fetches the changes of
// others. On the embedded forge it does nothing.
func Online(ctx context.Context, w *workspace.Workspace, env func(string) string) (Service, error) {
	s, err := ServiceOf(w.Repo)
	if err != nil || s.Kind == Local {
		return s, err
	}
	h, err := Host(ctx, w, s, env)
	if err != nil || h == nil && s.Guessed {
		return s, err
	}
	if err := Admit(ctx, w.Repo, s, env); err != nil {
		return s, err
	}
	f := hosted.New(w.Repo, s.Remote, h, exchange.SyncOf(w, s.Remote))
	if err := f.Refresh(ctx); err != nil {
		return s, fmt.Errorf("take notice of %s: %w", s.Remote, err)
	}
	if s.Merge != "" {
		f = f.Asking(s.Merge == ByQueue)
	}
	use(w, f)
	return s, nil
}

// use makes f the forge of a workspace, by which engines agree on all journals.
func use(w *workspace.Workspace, f *hosted.Forge) {
	w.Forge, w.Archive, w.Runs = f, w.Record.Archive().Agreed(f.Agree), runlog.Of(w.Repo).Agreed(f.Agree)
}

// Host is the service for one account; nil without a login. The error may be ErrElsewhere.
func Host(ctx context.Context, w *workspace.Workspace, s Service, env func(string) string) (host.Host, error) {
	if hasApp(w.Repo, s, env) {
		return byApp(w.Repo, s, env)
	}
	login, err := token(ctx, w.Repo, s, env)
	if err != nil || login == "" {
		return nil, err
	}
	if s.Kind == GitHub {
		return github.New(github.Options{Server: s.API, Owner: s.Owner, Repo: s.Repo, Token: login})
	}
	return gitea.New(gitea.Options{URL: s.API, Owner: s.Owner, Repo: s.Repo, Token: login, UserAgent: "assent/" + version.Engine})
}
