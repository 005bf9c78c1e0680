package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
)

// MaxBody bounds the body of a delivery, in bytes: GitHub's own limit.
const MaxBody = 25 << 20

// The reasons to refuse a delivery.
var (
	ErrMalformed = errors.New("not a delivery")
	ErrTooLarge  = fmt.Errorf("larger than %d MiB", MaxBody>>20)
	ErrForged    = errors.New("webhook signature matches no configured secret")
)

// signatures are the headers with the HMAC-SHA256 of the body in hexadecimal digits, and
// the prefix of each. Gitea and Forgejo send GitHub's header besides their own.
// X-Hub-Signature, with SHA-1, is ignored.
var signatures = []struct{ header, before string }{
	{"X-Hub-Signature-256", "sha256="},
	{"X-Gitea-Signature", ""},
	{"X-Forgejo-Signature", ""},
}

// identities are the headers that identify a delivery. They are not signed.
var identities = []string{"X-Github-Delivery", "X-Gitea-Delivery", "X-Forgejo-Delivery"}

// maxID bounds the length of an identity, in bytes; the services send UUIDs.
const maxID = 128

// Secrets are the accepted secrets; one of them must have signed. There are several only
// while one replaces another.
type Secrets [][]byte

// Delivery is a webhook delivery signed with a known secret.
type Delivery struct {
	// ID is the sender's identifier, which is not signed.
	ID string
	// Body is the SHA-256 of the signed body.
	Body [sha256.Size]byte
}

// Check reads a whole delivery and returns it if its headers have signatures and all are
// valid. The keys of header are in canonical form, as in http.Header. Errors are
// ErrMalformed, ErrTooLarge, ErrForged, or those of body.
func (s Secrets) Check(header map[string][]string, body io.Reader) (Delivery, error) {
	var d Delivery
	claimed, err := claims(header)
	if err != nil {
		return d, err
	}
	if d.ID, err = identity(header); err != nil {
		return d, err
	}
	digest, sinks := sha256.New(), []io.Writer{}
	macs := make([]hash.Hash, len(s))
	for i, secret := range s {
		macs[i] = hmac.New(sha256.New, secret)
		sinks = append(sinks, macs[i])
	}
	n, err := io.Copy(io.MultiWriter(append(sinks, digest)...), io.LimitReader(body, MaxBody+1))
	switch {
	case err != nil:
		return d, fmt.Errorf("read a delivery: %w", err)
	case n > MaxBody:
		return d, ErrTooLarge
	}
	if !signed(macs, claimed) {
		return d, ErrForged
	}
	digest.Sum(d.Body[:0])
	return d, nil
}

// signed reports whether one secret gives every signature. It compares all of them in
// constant time.
func signed(macs []hash.Hash, claimed [][]byte) bool {
	found := false
	for _, mac := range macs {
		right, all := mac.Sum(nil), true
		for _, c := range claimed {
			all = hmac.Equal(c, right) && all
		}
		found = found || all
	}
	return found
}

// claims returns the signatures in the headers, at least one.
func claims(header map[string][]string) ([][]byte, error) {
	var out [][]byte
	for _, s := range signatures {
		value, given, err := single(header, s.header)
		if err != nil {
			return nil, err
		}
		if !given {
			continue
		}
		digits, ok := strings.CutPrefix(value, s.before)
		mac, err := hex.DecodeString(digits)
		if !ok || err != nil || len(mac) != sha256.Size {
			return nil, fmt.Errorf("%w: %s is no HMAC-SHA256", ErrMalformed, s.header)
		}
		out = append(out, mac)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: no header %s, %s or %s", ErrMalformed, signatures[0].header, signatures[1].header, signatures[2].header)
	}
	return out, nil
}

// identity returns the sender's identifier of a delivery: printable ASCII of bounded
// length, the same in each header that has one.
func identity(header map[string][]string) (string, error) {
	id := ""
	for _, name := range identities {
		value, given, err := single(header, name)
		if err != nil {
			return "", err
		}
		if !given {
			continue
		}
		strange := strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' })
		if value == "" || len(value) > maxID || strange || id != "" && id != value {
			return "", fmt.Errorf("%w: %s is no identity of a delivery", ErrMalformed, name)
		}
		id = value
	}
	if id == "" {
		return "", fmt.Errorf("%w: no header %s, %s or %s", ErrMalformed, identities[0], identities[1], identities[2])
	}
	return id, nil
}

// single returns the only value of a header.
func single(header map[string][]string, name string) (value string, given bool, err error) {
	switch all := header[name]; len(all) {
	case 0:
		return "", false, nil
	case 1:
		return all[0], true, nil
	}
	return "", false, fmt.Errorf("%w: %s is given more than once", ErrMalformed, name)
}
