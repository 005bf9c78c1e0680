package github

import (
	"context"
	"errors"
	"net/http"
)

// credential says who asks.
type credential interface {
	// present is a token that holds for some time yet.
	present(ctx context.Context) (string, error)
	// refused says that it was not accepted, and answers whether there is another one.
	refused() bool
}

// token is a credential that never changes.
type token string

func (t token) present(context.Context) (string, error) { return string(t), nil }

func (t token) refused() bool { return false }

// authorised puts the credential on, and once more when it was replaced meanwhile. A
// request that was refused for its credential was not carried out.
type authorised struct {
	next http.RoundTripper
	who  credential
}

func (a *authorised) RoundTrip(req *http.Request) (*http.Response, error) {
	for first := true; ; first = false {
		try, err := again(req)
		if err != nil {
			return nil, err
		}
		present, err := a.who.present(req.Context())
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

// isAnswer tells a credential that could not be had, which was tried often enough
// already.
func isAnswer(err error) bool {
	var c *credentialError
	return errors.As(err, &c)
}
