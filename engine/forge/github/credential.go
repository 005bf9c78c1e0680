package github

import (
	"context"
	"errors"
	"net/http"
)

// credential authenticates requests.
type credential interface {
	// present returns a token that stays valid for some time. It may need a request of
	// its own, which is not retried if impatient.
	present(ctx context.Context, impatient bool) (string, error)
	// refused reports to the credential that GitHub did not accept the token. It returns
	// whether another token is available.
	refused() bool
}

// token is a credential that never changes.
type token string

func (t token) present(context.Context, bool) (string, error) { return string(t), nil }

func (t token) refused() bool { return false }

// authorised adds the credential, and repeats a request once with a new one. GitHub did not
// carry out a request that it refused for its credential.
type authorised struct {
	next      http.RoundTripper
	who       credential
	impatient bool
}

func (a *authorised) RoundTrip(req *http.Request) (*http.Response, error) {
	for first := true; ; first = false {
		try, err := again(req)
		if err != nil {
			return nil, err
		}
		present, err := a.who.present(req.Context(), a.impatient)
		if err != nil {
			return nil, &credentialError{err}
		}
		try.Header.Set("Authorization", "Bearer "+present)
		resp, err := a.next.RoundTrip(try)
		if err != nil || resp.StatusCode != http.StatusUnauthorized || !first || !a.who.refused() {
			return resp, err
		}
	}
}

// credentialError is a failure before the request itself was sent.
type credentialError struct{ err error }

func (e *credentialError) Error() string { return e.err.Error() }
func (e *credentialError) Unwrap() error { return e.err }

// isAnswer reports whether err is a missing credential, whose request was retried
// already.
func isAnswer(err error) bool {
	var c *credentialError
	return errors.As(err, &c)
}
