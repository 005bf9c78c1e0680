package ask

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Endpoint returns an Asker that calls base+"/chat/completions". A non-empty key is sent in the
// Authorization header.
func (f Form) Endpoint(base, model, key string) Asker {
	return func(ctx context.Context, question []byte) ([]byte, error) {
		body, err := json.Marshal(map[string]any{
			"model": model, "temperature": 0,
			"messages": []map[string]string{{"role": "system", "content": f.Instructions}, {"role": "user", "content": fenced(question)}},
		})
		if err != nil {
			return nil, fmt.Errorf("encode the question: %w", err)
		}
		answer, err := Post(ctx, strings.TrimRight(base, "/")+"/chat/completions", key, body, 2*f.Most+64<<10) // it is escaped in JSON, among fields of the service
		if err != nil {
			return nil, err
		}
		return completion(answer)
	}
}

// Reply is the answer of a service.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
}

// Post sends JSON to a service, and a non-empty key in the Authorization header. It follows no
// redirect: text and key are for this address only. An answer of another status than 200, or of
// more than most bytes, is an error, too.
func Post(ctx context.Context, address, key string, body []byte, most int) (out Reply, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return out, fmt.Errorf("ask: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return out, fmt.Errorf("ask: %w", err)
	}
	defer resp.Body.Close()
	out.Status, out.Header = resp.StatusCode, resp.Header
	out.Body, err = io.ReadAll(io.LimitReader(resp.Body, int64(most)+1))
	switch {
	case err != nil:
		err = fmt.Errorf("read the answer: %w", err)
	case len(out.Body) > most:
		err = fmt.Errorf("the answer has more than %d bytes", most)
	case resp.StatusCode != http.StatusOK:
		err = fmt.Errorf("the endpoint returned %s", resp.Status)
	}
	return out, err
}

// completion returns the text of the first choice.
func completion(answer Reply) ([]byte, error) {
	var out struct {
		Choices []struct {
			Message struct {
				Content string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(answer.Body, &out); err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if len(out.Choices) == 0 {
		return nil, errors.New("the endpoint returned no choice")
	}
	return []byte(out.Choices[0].Message.Content), nil
}

// fenced puts data between two lines with its digest, which data cannot contain.
func fenced(data []byte) string {
	line := fmt.Sprintf("data-%x", sha256.Sum256(data))
	return line + "\n" + string(data) + "\n" + line
}
