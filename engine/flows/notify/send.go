package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/flows/notice"
	"github.com/assent-dev/assent/engine/sandbox/redact"
)

// Headers of a webhook's request.
const (
	eventHeader     = "X-Assent-Event"
	deliveryHeader  = "X-Assent-Delivery"
	signatureHeader = "X-Assent-Signature-256"
)

// Send gives one notice to one target, within its timeout.
func Send(ctx context.Context, t notice.Target, n notice.Notice) error {
	ctx, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	body, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("encode the notice: %w", err)
	}
	if len(t.Command) > 0 {
		return run(ctx, t, n, body)
	}
	return post(ctx, t, n, body)
}

// run starts a command with the notice on standard input. Its words are arguments, and
// nothing of the notice is among them.
func run(ctx context.Context, t notice.Target, n notice.Notice, body []byte) error {
	cmd := exec.CommandContext(ctx, t.Command[0], t.Command[1:]...) //nolint:gosec // the user's own file names it
	cmd.Dir, cmd.Stdin, cmd.WaitDelay = os.TempDir(), bytes.NewReader(append(body, '\n')), time.Second
	cmd.Env = append(redact.Environment(os.Environ()), "ASSENT_EVENT="+n.Event, "ASSENT_PROPOSAL="+n.Proposal, "ASSENT_RUN="+n.Run)
	var said bytes.Buffer
	cmd.Stderr = &said
	err := cmd.Run()
	switch {
	case err != nil && errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("%s: it was interrupted", t.Command[0])
	case err != nil && ctx.Err() != nil:
		return fmt.Errorf("%s did not end within %s", t.Command[0], t.Timeout)
	case err != nil:
		first, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
		if first == "" {
			return fmt.Errorf("%s: %w", t.Command[0], err)
		}
		return fmt.Errorf("%s: %w: %s", t.Command[0], err, first[:min(len(first), 200)])
	}
	return nil
}

// pauses are waited between attempts of one run.
var pauses = [...]time.Duration{250 * time.Millisecond, time.Second}

// post sends the notice to a webhook and retries temporary failures while there is time.
func post(ctx context.Context, t notice.Target, n notice.Notice, body []byte) error {
	secret, err := os.ReadFile(t.SecretFile)
	if err != nil {
		return fmt.Errorf("read the secret to sign with: %w", err)
	}
	if secret = bytes.TrimSpace(secret); len(secret) < 16 {
		return fmt.Errorf("the secret in %s is shorter than 16 characters", t.SecretFile)
	}
	for attempt := 0; ; attempt++ {
		again, err := postOnce(ctx, t, n, body, secret)
		if err == nil || !again || attempt == len(pauses) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pauses[attempt]):
		}
	}
}

func postOnce(ctx context.Context, t notice.Target, n notice.Notice, body, secret []byte) (again bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.URL, bytes.NewReader(body))
	if err != nil {
		return false, fmt.Errorf("make the request: %w", err)
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write(body)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "assent/"+version.Engine)
	req.Header.Set(eventHeader, n.Event)
	req.Header.Set(deliveryHeader, n.Keys(t)[0])
	req.Header.Set(signatureHeader, "sha256="+hex.EncodeToString(mac.Sum(nil)))
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err // without the address, which may be a secret
		}
		return !errors.Is(err, context.DeadlineExceeded), fmt.Errorf("%s cannot be reached: %w", t.Name, err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // lets the connection be reused
	if resp.StatusCode/100 == 2 {
		return false, nil
	}
	return resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests, fmt.Errorf("%s answers %s", t.Name, resp.Status)
}
