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
	"time"
)

// App is a GitHub App: its client id or app id, and its private key as GitHub issues it
// (PEM, PKCS #1). Both come from the user's own configuration, never from a repository,
// which every writer could change.
type App struct {
	ID  string
	Key []byte
	// Installation is the number of the installation; 0 looks up that of the repository.
	Installation int64
}

// signer creates the JSON Web Tokens that authenticate an App.
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
		return nil, errors.New("the key of the GitHub App is not a PEM file")
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return &signer{app.ID, key, now}, nil
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if key, ok := parsed.(*rsa.PrivateKey); err == nil && ok {
		return &signer{app.ID, key, now}, nil
	}
	return nil, errors.New("the key of the GitHub App is not an RSA private key")
}

// present signs a token for each request. It is valid for ten minutes, beginning a minute
// ago because clocks differ.
func (s *signer) present(context.Context, bool) (string, error) {
	now := s.now()
	header, err := segment(map[string]string{"alg": "RS256", "typ": "JWT"})
	if err != nil {
		return "", err
	}
	claims, err := segment(map[string]any{"iat": now.Add(-time.Minute).Unix(), "exp": now.Add(9 * time.Minute).Unix(), "iss": s.id})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(header + "." + claims))
	signature, err := rsa.SignPKCS1v15(rand.Reader, s.key, crypto.SHA256, sum[:])
	if err != nil {
		return "", fmt.Errorf("sign as the GitHub App: %w", err)
	}
	return header + "." + claims + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}

func (s *signer) refused() bool { return false }

func segment(v any) (string, error) {
	text, err := json.Marshal(v)
	return base64.RawURLEncoding.EncodeToString(text), err
}

// appClient sends requests as the App itself.
type appClient struct{ usual, hasty clients }

func newAppClient(o Options) (*appClient, error) {
	s, err := newSigner(*o.App, o.Now)
	if err != nil {
		return nil, err
	}
	usual, hasty, err := newClients(o, s)
	return &appClient{usual, hasty}, err
}

func (a *appClient) clients(impatient bool) clients {
	if impatient {
		return a.hasty
	}
	return a.usual
}

// login returns the account that the App acts as.
func (a *appClient) login(ctx context.Context, impatient bool) (string, error) {
	app, _, err := a.clients(impatient).usual.Apps.Get(ctx, "")
	if err != nil {
		return "", err
	}
	if app.GetSlug() == "" {
		return "", errors.New("the answer names no App")
	}
	return app.GetSlug() + "[bot]", nil
}
