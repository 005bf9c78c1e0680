package gitea

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"

	sdk "code.gitea.io/sdk/gitea"
)

// raw sends a request that the client library lacks, or whose answer it drops. path is
// relative to the repository. body and into may be nil.
func (s *server) raw(ctx context.Context, method, path string, body, into any) func(*sdk.Client) (*sdk.Response, error) {
	return func(*sdk.Client) (*sdk.Response, error) {
		var sent io.Reader
		if body != nil {
			text, err := json.Marshal(body)
			if err != nil {
				return nil, err
			}
			sent = bytes.NewReader(text)
		}
		req, err := http.NewRequestWithContext(ctx, method, s.URL+"/api/v1/repos/"+url.PathEscape(s.Owner)+"/"+url.PathEscape(s.Repo)+path, sent)
		if err != nil {
			return nil, err
		}
		req.Header.Set("Authorization", "token "+s.Token)
		req.Header.Set("User-Agent", s.UserAgent)
		req.Header.Set("Content-Type", "application/json")
		resp, err := s.client.Do(req)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		answer := &sdk.Response{Response: resp}
		text, err := io.ReadAll(resp.Body)
		switch {
		case err != nil:
			return answer, err
		case resp.StatusCode >= 300:
			return answer, errors.New(message(text))
		case into == nil:
			return answer, nil
		}
		return answer, json.Unmarshal(text, into)
	}
}

// message returns the sentence in a refusal, empty if there is none.
func message(text []byte) string {
	var said struct{ Message string }
	if json.Unmarshal(text, &said) != nil {
		return ""
	}
	return said.Message
}
