package github

import (
	"context"
	"errors"
	"net/http"
)

// Password is what git pushes and fetches with over https as this account, beside any
// user name: the token, or the App's present one, which holds five minutes at least.
func (h *Host) Password(ctx context.Context) (string, error) {
	password, err := h.who.present(ctx)
	return password, explain("get a token for git", err)
}

// Login is the account that acts: the token's owner, or the App as SLUG[bot].
func (h *Host) Login(ctx context.Context) (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.login != "" {
		return h.login, nil
	}
	login, err := h.askLogin(ctx)
	if err != nil {
		return "", explain("ask which account the token belongs to", err)
	}
	h.login = login
	return login, nil
}

func (h *Host) askLogin(ctx context.Context) (string, error) {
	if h.app != nil {
		return h.app.login(ctx)
	}
	user, _, err := h.api.Users.Get(ctx, "")
	if statusOf(err) == http.StatusForbidden {
		// Tokens of installations, such as those that Actions gets, may not ask that.
		if login, viewerErr := h.viewer(ctx); viewerErr == nil {
			return login, nil
		}
	}
	if err != nil {
		return "", err
	}
	if user.GetLogin() == "" {
		return "", errors.New("the answer names no account")
	}
	return user.GetLogin(), nil
}

// viewer asks by GraphQL, which tells installations their own name.
func (h *Host) viewer(ctx context.Context) (string, error) {
	var answer struct{ Viewer struct{ Login string } }
	if err := h.graphql(repeatable(ctx), "query { viewer { login } }", nil, &answer); err != nil {
		return "", err
	}
	if answer.Viewer.Login == "" {
		return "", errors.New("the answer names no account")
	}
	return answer.Viewer.Login, nil
}
