package remote

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/assent-dev/assent/engine/git/gitstore"
)

// credential is a login for one server, from git's credential helpers.
type credential struct {
	username, password string
	// text is the helpers' answer, which they get to store or erase later.
	text string
}

// loginFromURL returns the login in an address.
func loginFromURL(u *url.URL) *credential {
	password, _ := u.User.Password()
	return &credential{username: u.User.Username(), password: password}
}

// fillCredential asks the user's credential helpers, and the user on a terminal.
func fillCredential(ctx context.Context, r *gitstore.Repo, base *url.URL, known *credential, challenges []string) (*credential, error) {
	return fill(ctx, r, base, known, challenges)
}

// fill runs `git credential fill`, with the given git options before it.
func fill(ctx context.Context, r *gitstore.Repo, base *url.URL, known *credential, challenges []string, options ...string) (*credential, error) {
	ask := [][2]string{{"protocol", base.Scheme}, {"host", base.Host}, {"path", strings.TrimPrefix(base.Path, "/")}}
	if known != nil && known.username != "" {
		ask = append(ask, [2]string{"username", known.username})
	}
	for _, c := range challenges {
		ask = append(ask, [2]string{"wwwauth[]", c})
	}
	question, err := credentialText(ask)
	if err != nil {
		return nil, err
	}
	text, err := r.Git(ctx, question, append(options, "credential", "fill")...)
	if err != nil {
		return nil, err
	}
	login := &credential{text: text + "\n\n"}
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimRight(line, "\n"), "=")
		switch key {
		case "username":
			login.username = value
		case "password":
			login.password = value
		case "protocol", "host":
			if want := map[string]string{"protocol": base.Scheme, "host": base.Host}[key]; value != want {
				return nil, fmt.Errorf("a credential helper returned a login for %s %q instead of %q", key, value, want)
			}
		}
	}
	if login.password == "" {
		return nil, fmt.Errorf("no credential helper knows a password")
	}
	return login, nil
}

// credentialText encodes the input of git's helpers. It refuses line breaks, which would add
// lines.
func credentialText(pairs [][2]string) (string, error) {
	var b strings.Builder
	for _, p := range pairs {
		if strings.ContainsAny(p[1], "\n\r\x00") {
			return "", fmt.Errorf("the address contains a control character")
		}
		fmt.Fprintf(&b, "%s=%s\n", p[0], p[1])
	}
	return b.String() + "\n", nil
}

// report lets the helpers store a login that worked (approve), or erase one that did not
// (reject).
func (c *credential) report(ctx context.Context, r *gitstore.Repo, verdict string) error {
	if c.text == "" {
		return nil
	}
	_, err := r.Git(ctx, c.text, "credential", verdict)
	return err
}

// Password returns the password that git's credential helpers have for an address, without
// asking the user.
func Password(ctx context.Context, r *gitstore.Repo, at *url.URL) (string, error) {
	login, err := fill(ctx, r, at, nil, nil, "-c", "credential.interactive=false", "-c", "core.askPass=true")
	if err != nil {
		return "", err
	}
	return login.password, nil
}
