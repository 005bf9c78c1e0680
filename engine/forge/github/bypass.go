package github

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// bypassing returns the names of the actors that may push past a ruleset.
func (api *protectionAPI) bypassing(ctx context.Context, s *ruleset) ([]string, error) {
	var out []string
	for _, a := range *s.BypassActors {
		if a.Mode == "pull_request" {
			continue
		}
		name, err := api.actor(ctx, a)
		if err != nil {
			return nil, err
		}
		out = append(out, name)
	}
	if s.CurrentUser == "always" || s.CurrentUser == "exempt" {
		me, err := api.Login(ctx)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(out, me) {
			out = append(out, me)
		}
	}
	return out, nil
}

// actor returns the name of an actor that is given by a number.
func (api *protectionAPI) actor(ctx context.Context, a bypass) (string, error) {
	switch a.Type {
	case "User":
		u, _, err := api.usual.Users.GetByID(ctx, a.ID)
		if err == nil && u.GetLogin() == "" {
			err = errors.New("the answer names no account")
		}
		return u.GetLogin(), err
	case "RepositoryRole":
		return role(a.ID), nil
	case "OrganizationAdmin":
		return "owners of the organisation", nil
	case "EnterpriseOwner":
		return "owners of the enterprise", nil
	case "DeployKey":
		return "deploy keys", nil
	case "Integration":
		return fmt.Sprintf("App %d", a.ID), nil
	}
	return fmt.Sprintf("%s %d", a.Type, a.ID), nil
}
