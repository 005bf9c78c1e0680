package github

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/assent-dev/assent/engine/forge/host"
)

// graphql asks what the other API has no call for. A refusal comes with the status of a
// success, and is a *host.Denied here.
func (h *Host) graphql(ctx context.Context, query string, variables map[string]any, into any) error {
	address := "graphql"
	if strings.HasSuffix(h.api.BaseURL.Path, "/api/v3/") {
		address = strings.TrimSuffix(h.api.BaseURL.Path, "v3/") + "graphql"
	}
	var answer struct {
		Data   json.RawMessage
		Errors []struct{ Message string }
	}
	order := map[string]any{"query": query}
	if variables != nil {
		order["variables"] = variables
	}
	if err := h.do(ctx, http.MethodPost, address, order, &answer); err != nil {
		return err
	}
	if len(answer.Errors) > 0 {
		var said []string
		for _, e := range answer.Errors {
			said = append(said, e.Message)
		}
		text := cut(strings.Join(said, "; "), maxSaid)
		return &host.Denied{Doing: "ask by GraphQL", Status: http.StatusUnprocessableEntity, Said: text, Fix: queueFix(text)}
	}
	return json.Unmarshal(answer.Data, into)
}

// queueFix says what leads on from a refusal to merge later.
func queueFix(said string) string {
	switch text := strings.ToLower(said); {
	case strings.Contains(text, "auto merge is not allowed"), strings.Contains(text, "auto-merge is not allowed"):
		return "allow auto-merge in the repository's settings, or set up a merge queue for main"
	case strings.Contains(text, "not accessible"), strings.Contains(text, "permission"):
		return "the account needs to write contents and pull requests"
	}
	return ""
}
