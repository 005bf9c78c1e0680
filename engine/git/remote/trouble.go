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

// Reasons why a remote operation failed, if known. They precede the failing program's own
// error.
var (
	ErrAway        = errors.New("the remote is unreachable or failing")
	ErrCertificate = errors.New("this machine does not trust the certificate of the remote")
	ErrLogin       = errors.New("the remote refuses this login, or needs one")
	ErrGone        = errors.New("the remote has no such repository for this login")
	ErrVast        = errors.New("an object there takes more memory than git may allocate at once; if it is yours, set GIT_ALLOC_LIMIT, such as 2g")
)

// statusError is an unexpected HTTP response of a server.
type statusError struct {
	at, status string
	code       int
}

func (a *statusError) Error() string { return fmt.Sprintf("%s returned %.100q", a.at, a.status) }

func newStatusError(at *url.URL, resp *http.Response) error {
	return &statusError{at.Redacted(), resp.Status, resp.StatusCode}
}

// withReason prefixes an error with the reason why the remote failed. It returns other errors
// unchanged.
func withReason(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	for _, known := range []error{ErrVast, ErrAway, ErrCertificate, ErrLogin, ErrGone} {
		if errors.Is(err, known) {
			return err
		}
	}
	if why := reasonFor(err); why != nil {
		return fmt.Errorf("%w: %w", why, err)
	}
	return err
}

// reasonFor derives the reason from an HTTP response, a failed connection, or git's English
// messages.
func reasonFor(err error) error {
	var answer *statusError
	var exit *exec.ExitError
	var dial *net.OpError
	var name *net.DNSError
	var request *url.Error
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &certificate):
		return ErrCertificate
	case errors.As(err, &answer):
		return reasonForStatus(answer.code)
	case errors.As(err, &exit):
		return reasonForMessage(err.Error())
	case errors.As(err, &dial), errors.As(err, &name), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.As(err, &request) && request.Timeout():
		return ErrAway
	}
	return nil
}

func reasonForStatus(code int) error {
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

func reasonForMessage(words string) error {
	for _, known := range []struct {
		why   error
		words []string
	}{
		{ErrVast, []string{"attempting to allocate"}},
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
