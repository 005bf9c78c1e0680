package github

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/go-github/v60/github"

	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/rest"
)

// maxSaid bounds the text that is quoted from the service, in bytes.
const maxSaid = 500

// explain adds what was being done to err. A permanent refusal becomes a *host.Denied
// with a fix; a temporary failure stays an error.
func explain(doing string, err error) error {
	if err == nil || isDenied(err) {
		return err
	}
	refused := answerOf(err)
	switch {
	case refused != nil && refused.Response != nil && passing(refused.Response.StatusCode):
		return &host.Away{Err: fmt.Errorf("%s: GitHub answered %d: %w", doing, refused.Response.StatusCode, err)}
	case errors.As(err, new(*url.Error)) && !isAnswer(err):
		return &host.Away{Err: fmt.Errorf("%s: %w", doing, err)}
	case refused == nil || refused.Response == nil:
		return fmt.Errorf("%s: %w", doing, err)
	}
	resp := refused.Response
	return &host.Denied{Doing: doing, Status: resp.StatusCode, Said: said(refused), Fix: fix(resp, refused)}
}

func isDenied(err error) bool {
	var d *host.Denied
	return errors.As(err, &d)
}

// answerOf returns GitHub's refusal, nil if err is another error.
func answerOf(err error) *github.ErrorResponse {
	var refused *github.ErrorResponse
	var otp *github.TwoFactorAuthError
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.As(err, &otp):
		return (*github.ErrorResponse)(otp)
	}
	return nil
}

// statusOf returns the HTTP status of a refusal, 0 for any other error or nil.
func statusOf(err error) int {
	if refused := answerOf(err); refused != nil && refused.Response != nil {
		return refused.Response.StatusCode
	}
	return 0
}

func passing(status int) bool {
	return status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout
}

// said returns GitHub's own message with the details of its list of errors.
func said(e *github.ErrorResponse) string {
	parts := []string{e.Message}
	if e.Message == "" {
		parts[0] = http.StatusText(e.Response.StatusCode)
	}
	for _, d := range e.Errors {
		switch {
		case d.Message != "":
			parts = append(parts, d.Message)
		case d.Field != "":
			parts = append(parts, d.Resource+"."+d.Field+" "+d.Code)
		}
	}
	return rest.CutBytes(strings.Join(parts, "; "), maxSaid)
}

// fix returns what the user can do, from the status and from the headers that name what a
// token lacks.
func fix(resp *http.Response, e *github.ErrorResponse) string {
	switch status := resp.StatusCode; {
	case status == http.StatusUnauthorized:
		return "the token is wrong, expired or revoked: make a new one and configure it, or run gh auth login; for an App compare its id, its key and this machine's clock"
	case status >= 300 && status < 400:
		return "the repository was renamed or moved: set its new address with git remote set-url"
	case resp.Header.Get("X-Github-Sso") != "":
		return singleSignOn(resp.Header.Get("X-Github-Sso"))
	case status == http.StatusForbidden || status == http.StatusNotFound:
		return lacking(resp, status)
	case status == http.StatusMethodNotAllowed && mentions(e, "is not mergeable"):
		return "GitHub sees a conflict, which assent may be able to resolve: run assent rebase"
	case status == http.StatusMethodNotAllowed && mentions(e, "merge queue"):
		return "main has a merge queue: let the engine use it, with git config assent.merge queue"
	case status == http.StatusMethodNotAllowed:
		return "see on its page what main's protection waits for, that this account may merge there, and that merge commits are allowed"
	case status == http.StatusGone:
		return "the repository has this switched off: see its settings"
	case status == http.StatusUnprocessableEntity && mentions(e, "own pull request"):
		return "GitHub does not accept a review by the author of the pull request: ask another person, or use assent review, which signs"
	case status == http.StatusUnprocessableEntity && mentions(e, "state cannot be changed"):
		return "GitHub reopens a pull request only if its branch did not move: push the branch to its old commit, or open a new pull request"
	case status == http.StatusUnprocessableEntity && mentions(e, "no commits between"):
		return "the branch has no commits that its base lacks: push commits first"
	case status == http.StatusUnprocessableEntity && mentions(e, "no commit found", ".head invalid", ".base invalid"):
		return "push the branch first, and check that base and head exist"
	}
	return ""
}

func mentions(e *github.ErrorResponse, words ...string) bool {
	text := strings.ToLower(said(e))
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// explainApp is explain for an App, whose setup may be incomplete.
func explainApp(doing string, err error, repo string) error {
	err = explain(doing, err)
	var d *host.Denied
	if !errors.As(err, &d) {
		return err
	}
	switch d.Status {
	case http.StatusNotFound:
		d.Fix = "install the App in " + repo + ", or compare the App's id with the one that is configured"
	case http.StatusForbidden:
		d.Fix = "the installation may be suspended: see the App's settings"
	}
	return d
}
