package webhook

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"strings"
	"testing"
	"testing/iotest"
)

// The example in GitHub's documentation.
const (
	example     = "Hello, World!"
	exampleKey  = "It's a Secret to Everybody"
	exampleHMAC = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
)

func sign(secret, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return hex.EncodeToString(mac.Sum(nil))
}

// headers of a delivery, as each service sends them.
func github(mac string) map[string][]string {
	return map[string][]string{"X-Github-Event": {"push"}, "X-Github-Delivery": {"1"}, "X-Hub-Signature": {"sha1=00"}, "X-Hub-Signature-256": {"sha256=" + mac}}
}

func gitea(mac string) map[string][]string {
	h := github(mac)
	maps.Copy(h, map[string][]string{"X-Gitea-Event": {"push"}, "X-Gitea-Delivery": {"1"}, "X-Gitea-Signature": {mac}})
	return h
}

func forgejo(mac string) map[string][]string {
	h := gitea(mac)
	maps.Copy(h, map[string][]string{"X-Forgejo-Event": {"push"}, "X-Forgejo-Delivery": {"1"}, "X-Forgejo-Signature": {mac}})
	return h
}

func with(h map[string][]string, name string, values ...string) map[string][]string {
	h[name] = values
	return h
}

func without(h map[string][]string, names ...string) map[string][]string {
	for _, name := range names {
		delete(h, name)
	}
	return h
}

func TestCheck(t *testing.T) {
	wrong := sign("another secret", example)
	for name, c := range map[string]struct {
		header map[string][]string
		body   string
		want   error
	}{
		"GitHub":                                 {github(exampleHMAC), example, nil},
		"Gitea":                                  {gitea(exampleHMAC), example, nil},
		"Forgejo":                                {forgejo(exampleHMAC), example, nil},
		"Gitea without GitHub's headers":         {without(gitea(exampleHMAC), "X-Hub-Signature", "X-Hub-Signature-256", "X-Github-Delivery"), example, nil},
		"upper-case digits":                      {github(strings.ToUpper(exampleHMAC)), example, nil},
		"the secret that is being replaced":      {github(sign("old", example)), example, nil},
		"another secret":                         {github(wrong), example, ErrForged},
		"another body":                           {github(exampleHMAC), example + "!", ErrForged},
		"no body":                                {github(exampleHMAC), "", ErrForged},
		"the empty secret":                       {github(sign("", example)), example, ErrForged},
		"one of two signatures":                  {with(gitea(exampleHMAC), "X-Gitea-Signature", wrong), example, ErrForged},
		"two signatures of two secrets":          {with(gitea(exampleHMAC), "X-Gitea-Signature", sign("old", example)), example, ErrForged},
		"no signature":                           {without(github(exampleHMAC), "X-Hub-Signature-256"), example, ErrMalformed},
		"a signature of another length":          {github(exampleHMAC[:62]), example, ErrMalformed},
		"no digits":                              {github(strings.Repeat("x", 64)), example, ErrMalformed},
		"SHA-1 under the name":                   {with(github(""), "X-Hub-Signature-256", "sha1="+exampleHMAC), example, ErrMalformed},
		"a signature twice":                      {with(github(""), "X-Hub-Signature-256", "sha256="+exampleHMAC, "sha256="+wrong), example, ErrMalformed},
		"no identity":                            {without(github(exampleHMAC), "X-Github-Delivery"), example, ErrMalformed},
		"an empty identity":                      {with(github(exampleHMAC), "X-Github-Delivery", ""), example, ErrMalformed},
		"an identity that commands the terminal": {with(github(exampleHMAC), "X-Github-Delivery", "\x1b[2J"), example, ErrMalformed},
		"an identity without end":                {with(github(exampleHMAC), "X-Github-Delivery", strings.Repeat("1", maxID+1)), example, ErrMalformed},
		"two identities":                         {with(gitea(exampleHMAC), "X-Gitea-Delivery", "2"), example, ErrMalformed},
		"the largest":                            {github(sign(exampleKey, strings.Repeat("a", MaxBody))), strings.Repeat("a", MaxBody), nil},
		"too large":                              {github(sign(exampleKey, strings.Repeat("a", MaxBody+1))), strings.Repeat("a", MaxBody+1), ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			body := &counting{r: strings.NewReader(c.body)}
			d, err := Secrets{[]byte(exampleKey), []byte("old")}.Check(c.header, body)
			if !errors.Is(err, c.want) || err == nil && (d.ID != "1" || d.Body != sha256.Sum256([]byte(c.body))) {
				t.Errorf("%+v, %v; want %v", d, err, c.want)
			}
			if body.n > MaxBody+1 || errors.Is(c.want, ErrMalformed) && body.n > 0 {
				t.Errorf("%d bytes were read", body.n)
			}
		})
	}
	if _, err := (Secrets{}).Check(github(sign("", example)), strings.NewReader(example)); !errors.Is(err, ErrForged) {
		t.Errorf("without secrets: %v", err)
	}
	if _, err := (Secrets{[]byte(exampleKey)}).Check(github(exampleHMAC), iotest.ErrReader(io.ErrUnexpectedEOF)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a connection that breaks: %v", err)
	}
}

type counting struct {
	r io.Reader
	n int
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}

// FuzzCheck: with any headers, an accepted delivery was signed.
func FuzzCheck(f *testing.F) {
	f.Add("sha256="+exampleHMAC, "", "1", []byte(example))
	f.Add("", exampleHMAC, "1", []byte(example))
	f.Add("sha256=", "sha256="+exampleHMAC, "1 2", []byte{})
	f.Fuzz(func(t *testing.T, hub, own, id string, body []byte) {
		h := map[string][]string{"X-Gitea-Delivery": {id}}
		for name, value := range map[string]string{"X-Hub-Signature-256": hub, "X-Forgejo-Signature": own} {
			if value != "" {
				h[name] = []string{value}
			}
		}
		_, err := Secrets{[]byte(exampleKey)}.Check(h, bytes.NewReader(body))
		right := sign(exampleKey, string(body))
		if err == nil && !strings.EqualFold(hub, "sha256="+right) && !strings.EqualFold(own, right) {
			t.Errorf("accepted with %q and %q", hub, own)
		}
	})
}
