package github

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/google/go-github/v60/github"

	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/rest"
)

// graphql sends a request that the REST API lacks. GitHub reports refusals with the
// status of a success; they become a *host.Denied.
func (s *server) graphql(ctx context.Context, by *github.Client, query string, variables map[string]any, into any) error {
	address := "graphql"
	if strings.HasSuffix(s.usual.BaseURL.Path, "/api/v3/") {
		address = strings.TrimSuffix(s.usual.BaseURL.Path, "v3/") + "graphql"
	}
	var answer struct {
		Data   json.RawMessage
		Errors []struct{ Message string }
	}
	order := map[string]any{"query": query}
	if variables != nil {
		order["variables"] = variables
	}
	if err := s.do(ctx, by, http.MethodPost, address, order, &answer); err != nil {
		return err
	}
	if len(answer.Errors) > 0 {
		var said []string
		for _, e := range answer.Errors {
			said = append(said, e.Message)
		}
		text := rest.CutBytes(strings.Join(said, "; "), maxSaid)
		return &host.Denied{Doing: "ask by GraphQL", Status: http.StatusUnprocessableEntity, Said: text, Fix: queueFix(text)}
	}
	return json.Unmarshal(answer.Data, into)
}

// queueFix returns what the user can do after GitHub refused to queue a merge.
func queueFix(said string) string {
	switch text := strings.ToLower(said); {
	case strings.Contains(text, "auto merge is not allowed"), strings.Contains(text, "auto-merge is not allowed"):
		return "allow auto-merge in the repository's settings, or set up a merge queue for main"
	case strings.Contains(text, "not accessible"), strings.Contains(text, "permission"):
		return "the account needs to write contents and pull requests"
	}
	return ""
}
