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
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(base, "/")+"/chat/completions", bytes.NewReader(body))
		if err != nil {
			return nil, fmt.Errorf("ask: %w", err)
		}
		req.Header.Set("Content-Type", "application/json")
		if key != "" {
			req.Header.Set("Authorization", "Bearer "+key)
		}
		return f.completion(req)
	}
}

// completion sends a request and returns the text of the first choice. It follows no
// redirect: the key is for the configured address only.
func (f Form) completion(req *http.Request) ([]byte, error) {
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask: %w", err)
	}
	defer resp.Body.Close()
	room := 2*f.Most + 64<<10 // the answer is escaped in JSON, among fields of the service
	data, err := io.ReadAll(io.LimitReader(resp.Body, int64(room)+1))
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if len(data) > room {
		return nil, fmt.Errorf("the answer has more than %d bytes", room)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the endpoint returned %s", resp.Status)
	}
	var out struct {
		Choices []struct {
			Message struct {
				Content string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(data, &out); err != nil {
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
