package github

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
)

// lacking names the missing permission or scope, if GitHub reports it.
func lacking(resp *http.Response, status int) string {
	wants, has := list(resp.Header.Get("X-Accepted-Oauth-Scopes")), list(resp.Header.Get("X-Oauth-Scopes"))
	permissions := words(resp.Header.Get("X-Accepted-Github-Permissions"))
	var out string
	switch {
	case permissions != "" && status == http.StatusForbidden:
		out = "give the token or the App the permission " + permissions
	case len(wants) > 0 && !anyOf(wants, has):
		out = fmt.Sprintf("the token has the scopes %s: give it one of %s", orNone(has), strings.Join(wants, ", "))
	case permissions != "":
		out = "give the token or the App the permission " + permissions
	}
	if status == http.StatusNotFound {
		const where = "the repository was renamed, or the token may not see it"
		if out == "" {
			return where
		}
		return where + ": " + out
	}
	if out == "" {
		return "the account may not do this here: see its role in the repository and what the token is for"
	}
	return out
}

// words returns the header's value if it is safe to quote, else "".
func words(s string) string {
	if len(s) > 200 || !consistsOf(s, "_:=;., -") {
		return ""
	}
	return s
}

func list(s string) []string {
	return strings.FieldsFunc(words(s), func(r rune) bool { return r == ',' || r == ' ' })
}

func anyOf(wants, has []string) bool {
	for _, w := range wants {
		for _, h := range has {
			if w == h {
				return true
			}
		}
	}
	return false
}

func orNone(scopes []string) string {
	if len(scopes) == 0 {
		return "(none)"
	}
	return strings.Join(scopes, ", ")
}

// ssoAddress matches the address at which a token is authorised for an organisation.
var ssoAddress = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`url=(https://[A-Za-z0-9.-]+/(?:orgs|enterprises)/[A-Za-z0-9_/.-]+/sso\?authorization_request=[A-Za-z0-9_-]+)`)
})

func singleSignOn(h string) string {
	const sentence = "the organisation wants single sign-on: authorise the token for it"
	if m := ssoAddress().FindStringSubmatch(h); m != nil {
		return sentence + " at " + m[1]
	}
	return sentence + " in your settings, under tokens"
}
