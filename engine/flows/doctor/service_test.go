package doctor_test

import (
	"context"
	"os"
	"testing"

	"github.com/assent-dev/assent/engine/flows/doctor"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/git/gitrun"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/worldtest"
)

// service only reports how it protects main.
type service struct {
	host.Host
	name      string
	protected host.Protection
}

func (s *service) Name() string                               { return s.name }
func (s *service) Login(context.Context) (string, error)      { return "engine", nil }
func (s *service) Impatient() host.Host                       { return s }
func (s *service) Lacks(context.Context) ([]host.Lack, error) { return nil, nil }
func (s *service) Protection(context.Context, string) (host.Protection, error) {
	return s.protected, nil
}

// TestRequiredCheck: a missing required status is reported, and is a failure if the service
// makes the merges.
func TestRequiredCheck(t *testing.T) {
	w := worldtest.New(t)
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	for name, c := range map[string]struct {
		service, merge string
		protected      host.Protection
		want           doctor.Status
	}{
		"required, on gitea":               {"gitea", "push", host.Protection{Checks: []string{"ci", "assent"}}, doctor.Healthy},
		"required, from one source":        {"github", "push", host.Protection{Checks: []string{"assent"}, CheckFrom: "App 77"}, doctor.Healthy},
		"required, from everybody":         {"github", "push", host.Protection{Checks: []string{"assent"}, AnySource: true}, doctor.Warns},
		"another is required":              {"github", "push", host.Protection{Checks: []string{"ci"}}, doctor.Warns},
		"the service merges without it":    {"github", "service", host.Protection{Checks: []string{"ci"}}, doctor.Fails},
		"the queue merges without it":      {"gitea", "queue", host.Protection{}, doctor.Fails},
		"the service merges, and needs it": {"gitea", "service", host.Protection{Checks: []string{"assent"}}, doctor.Healthy},
	} {
		c.protected.Protected = true
		storetest.Git(t, w.Repo.Top(), "config", "assent.merge", c.merge)
		repo, err := gitstore.Open(w.Repo.Top())
		if err != nil {
			t.Fatal(err)
		}
		found := doctor.Examine(t.Context(), doctor.Surroundings{
			Now: w.Now, Open: func() (*workspace.Workspace, error) {
				return workspace.Of(repo, workspace.Surroundings{Now: w.Now}), nil
			},
			Getenv:          func(string) string { return "" },
			Git:             func(context.Context, string, ...string) (string, error) { return "", gitrun.ErrNoGit },
			Key:             func(workspace.Session) (string, error) { return "none", nil },
			Hint:            func(error) string { return "" },
			FetchesJournals: func(context.Context, *gitstore.Repo) (bool, error) { return true, nil },
			Service: func(context.Context, *workspace.Workspace) (host.Host, bool, error) {
				return &service{name: c.service, protected: c.protected}, true, nil
			},
		})
		var is []doctor.Status
		for _, f := range found {
			if f.Check == "required check" {
				is = append(is, f.Status)
			}
		}
		if len(is) != 1 || is[0] != c.want {
			t.Errorf("%s: %v, want %s", name, is, c.want)
		}
	}
}
