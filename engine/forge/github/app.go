package github

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/google/go-github/v60/github"
)

// App is a GitHub App: its client id or app id, and its private key as GitHub hands it
// out (PEM, PKCS #1). Both come from the user's own configuration, never from a
// repository, which everybody who writes to it could change.
type App struct {
	ID  string
	Key []byte
}

// credential puts into a request who asks.
type credential interface {
	authorise(ctx context.Context, req *http.Request) error
	// refused says that what authorise gave was not accepted; whether another try is
	// worth it.
	refused() bool
}

// token is a credential that never changes.
type token string

func (t token) authorise(_ context.Context, req *http.Request) error {
	req.Header.Set("Authorization", "Bearer "+string(t))
	return nil
}

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
		if err := a.who.authorise(req.Context(), try); err != nil {
			return nil, &credentialError{err}
		}
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

// signer makes the JSON Web Tokens by which an App says who it is.
//
// Form: https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app
type signer struct {
	id  string
	key *rsa.PrivateKey
	now func() time.Time
}

func newSigner(app App, now func() time.Time) (*signer, error) {
	if app.ID == "" {
		return nil, errors.New("the GitHub App has no id")
	}
	block, _ := pem.Decode(app.Key)
	if block == nil {
		return nil, errors.New("the key of the GitHub App is no PEM file")
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return &signer{app.ID, key, now}, nil
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if key, ok := parsed.(*rsa.PrivateKey); err == nil && ok {
		return &signer{app.ID, key, now}, nil
	}
	return nil, errors.New("the key of the GitHub App is no RSA private key")
}

// authorise signs a token for each request, valid from a minute ago, for clocks that
// differ, for ten minutes.
func (s *signer) authorise(_ context.Context, req *http.Request) error {
	now := s.now()
	header, err := segment(map[string]string{"alg": "RS256", "typ": "JWT"})
	if err != nil {
		return err
	}
	claims, err := segment(map[string]any{"iat": now.Add(-time.Minute).Unix(), "exp": now.Add(9 * time.Minute).Unix(), "iss": s.id})
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(header + "." + claims))
	signature, err := rsa.SignPKCS1v15(rand.Reader, s.key, crypto.SHA256, sum[:])
	if err != nil {
		return fmt.Errorf("sign as the GitHub App: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+header+"."+claims+"."+base64.RawURLEncoding.EncodeToString(signature))
	return nil
}

func (s *signer) refused() bool { return false }

func segment(v any) (string, error) {
	text, err := json.Marshal(v)
	return base64.RawURLEncoding.EncodeToString(text), err
}

// appClient asks as the App itself.
type appClient struct{ api *github.Client }

func newAppClient(o Options) (*appClient, error) {
	s, err := newSigner(*o.App, o.Now)
	if err != nil {
		return nil, err
	}
	c, err := client(o, s)
	return &appClient{c}, err
}

// login is how GitHub shows what the App does.
func (a *appClient) login(ctx context.Context) (string, error) {
	app, _, err := a.api.Apps.Get(ctx, "")
	if err != nil {
		return "", err
	}
	if app.GetSlug() == "" {
		return "", errors.New("the answer names no App")
	}
	return app.GetSlug() + "[bot]", nil
}

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

func (i *installation) authorise(ctx context.Context, req *http.Request) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.token == "" || i.now().After(i.ends.Add(-early)) {
		if err := i.renew(ctx); err != nil {
			return err
		}
	}
	return token(i.token).authorise(ctx, req)
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
