package gitea

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assent-dev/assent/engine/forge/host"
)

// repository holds the settings that are used.
type repository struct {
	DefaultBranch             string `json:"default_branch"`
	AllowRebase               bool   `json:"allow_rebase"`
	AllowRebaseMerge          bool   `json:"allow_rebase_explicit"`
	AllowSquash               bool   `json:"allow_squash_merge"`
	AllowFastForwardOnlyMerge bool   `json:"allow_fast_forward_only_merge"`
	AllowManualMerge          bool   `json:"allow_manual_merge"`
	AutodetectManualMerge     bool   `json:"autodetect_manual_merge"`
	Empty                     bool
}

func (s *server) repository(ctx context.Context) (repository, error) {
	var repo repository
	err := s.ask(ctx, "look at the repository", s.raw(ctx, http.MethodGet, "", nil, &repo))
	if err == nil && repo.DefaultBranch == "" {
		err = fmt.Errorf("look at the repository: %s names no default branch", s.URL)
	}
	return repo, err
}

// rule is the protection of a branch.
type rule struct {
	sdk.BranchProtection
	EnableForcePush bool `json:"enable_force_push"`
}

// protectionAPI reads protection and rights.
type protectionAPI struct{ *server }

// Protection returns the server's restrictions on a branch. In the list of pushers, teams
// are named team:NAME, and deploy keys deploy-keys.
func (api *protectionAPI) Protection(ctx context.Context, branch string) (host.Protection, error) {
	var p host.Protection
	return p, api.repeat(ctx, func() error {
		repo, err := api.repository(ctx)
		if err != nil {
			return err
		}
		p = host.Protection{
			PushAll: true, ForcePush: true, Delete: true,
			Squash:      repo.AllowSquash || repo.AllowRebase || repo.AllowRebaseMerge || repo.AllowFastForwardOnlyMerge,
			ManualMerge: repo.AllowManualMerge || repo.AutodetectManualMerge,
		}
		var b *sdk.Branch
		err = api.ask(ctx, "look at the branch "+branch, func(c *sdk.Client) (resp *sdk.Response, err error) {
			b, resp, err = c.GetRepoBranch(api.Owner, api.Repo, branch)
			return resp, err
		})
		if missing(err) || err == nil && !b.Protected {
			return nil
		}
		if err != nil {
			return err
		}
		r, err := api.rule(ctx, b.EffectiveBranchProtectionName)
		if err == nil {
			r.tell(&p)
		}
		return err
	})
}

// rule reads a protection rule, which requires an administrator.
func (api *protectionAPI) rule(ctx context.Context, name string) (rule, error) {
	var r rule
	if name == "" {
		return r, fmt.Errorf("the branch's protection: %w", host.ErrUnknown)
	}
	err := api.ask(ctx, "read the branch's protection", api.raw(ctx, http.MethodGet, "/branch_protections/"+url.PathEscape(name), nil, &r))
	if refused(err) {
		return r, fmt.Errorf("%w: %w", host.ErrUnknown, err)
	}
	return r, err
}

func (r *rule) tell(p *host.Protection) {
	p.Protected, p.Delete, p.ForcePush = true, false, r.EnableForcePush
	p.PushAll = r.EnablePush && !r.EnablePushWhitelist
	if r.EnablePush && r.EnablePushWhitelist {
		p.Push = append(p.Push, r.PushWhitelistUsernames...)
		for _, team := range r.PushWhitelistTeams {
			p.Push = append(p.Push, "team:"+team)
		}
		if r.PushWhitelistDeployKeys {
			p.Push = append(p.Push, "deploy-keys")
		}
	}
	if r.EnableStatusCheck {
		p.Checks = r.StatusCheckContexts
	}
	p.Approvals = int(r.RequiredApprovals)
}
