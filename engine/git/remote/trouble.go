package remote

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
)

// Why a remote could not be asked, if known. It comes before the failing program's own
// words.
var (
	ErrAway        = errors.New("it cannot be reached, or fails at the moment")
	ErrCertificate = errors.New("this machine does not trust its certificate")
	ErrLogin       = errors.New("it refuses this login, or wants one")
	ErrGone        = errors.New("there is no such repository for this login")
)

// answered is an answer of a server that is none to what was asked.
type answered struct {
	at, status string
	code       int
}

func (a *answered) Error() string { return fmt.Sprintf("%s answers %.100q", a.at, a.status) }

func answeredBy(at *url.URL, resp *http.Response) error {
	return &answered{at.Redacted(), resp.Status, resp.StatusCode}
}

// understood puts before an error why the remote could not be asked; an error about
// something else stays as it is.
func understood(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	for _, known := range []error{ErrAway, ErrCertificate, ErrLogin, ErrGone} {
		if errors.Is(err, known) {
			return err
		}
	}
	if why := whyOf(err); why != nil {
		return fmt.Errorf("%w: %w", why, err)
	}
	return err
}

// whyOf finds out from an answer, from a failed connection, or from the words of git, which
// is asked in English.
func whyOf(err error) error {
	var answer *answered
	var exit *exec.ExitError
	var dial *net.OpError
	var name *net.DNSError
	var request *url.Error
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &certificate):
		return ErrCertificate
	case errors.As(err, &answer):
		return ofStatus(answer.code)
	case errors.As(err, &exit):
		return ofWords(err.Error())
	case errors.As(err, &dial), errors.As(err, &name), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.As(err, &request) && request.Timeout():
		return ErrAway
	}
	return nil
}

func ofStatus(code int) error {
	switch {
	case code >= 500, code == http.StatusTooManyRequests, code == http.StatusRequestTimeout:
		return ErrAway
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return ErrLogin
	case code == http.StatusNotFound:
		return ErrGone
	}
	return nil
}

func ofWords(words string) error {
	for _, known := range []struct {
		why   error
		words []string
	}{
		{ErrCertificate, []string{"certificate verification failed", "SSL certificate problem", "certificate subject name"}},
		{ErrLogin, []string{"Authentication failed", "could not read Username", "could not read Password", "returned error: 401", "returned error: 403", "Permission denied"}},
		{ErrGone, []string{"returned error: 404", "not found", "does not appear to be a git repository"}},
		{ErrAway, []string{
			"Could not resolve host", "Failed to connect", "Couldn't connect", "Connection refused", "Connection reset", "Connection timed out",
			"Operation timed out", "Empty reply", "early EOF", "unexpected disconnect", "hung up", "returned error: 5", "returned error: 429", "RPC failed",
		}},
	} {
		for _, w := range known.words {
			if strings.Contains(words, w) {
				return known.why
			}
		}
	}
	return nil
}
