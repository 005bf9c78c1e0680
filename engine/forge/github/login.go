package github

import (
	"context"
	"errors"
	"net/http"
)

// Password returns the password for git over https as this account, with any user name.
// It is the token, or the App's current one, valid for at least five minutes.
func (s *server) Password(ctx context.Context) (string, error) {
	password, err := s.who.present(ctx, s.impatient)
	return password, explain("get a token for git", err)
}

// Login returns the acting account: the token's owner, or SLUG[bot] for an App.
func (s *server) Login(ctx context.Context) (string, error) {
	s.known.mu.Lock()
	defer s.known.mu.Unlock()
	if s.known.login != "" {
		return s.known.login, nil
	}
	login, err := s.askLogin(ctx)
	if err != nil {
		return "", explain("ask which account the token belongs to", err)
	}
	s.known.login = login
	return login, nil
}

func (s *server) askLogin(ctx context.Context) (string, error) {
	if s.app != nil {
		return s.app.login(ctx, s.impatient)
	}
	user, _, err := s.usual.Users.Get(ctx, "")
	if statusOf(err) == http.StatusForbidden {
		// Tokens of installations, such as those of Actions, may not use that endpoint.
		if login, viewerErr := s.viewer(ctx); viewerErr == nil {
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

// viewer asks by GraphQL, which also answers installations.
func (s *server) viewer(ctx context.Context) (string, error) {
	var answer struct{ Viewer struct{ Login string } }
	if err := s.graphql(ctx, s.repeatable, "query { viewer { login } }", nil, &answer); err != nil {
		return "", err
	}
	if answer.Viewer.Login == "" {
		return "", errors.New("the answer names no account")
	}
	return answer.Viewer.Login, nil
}
