package github

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/google/go-github/v60/github"

	"github.com/assent-dev/assent/engine/forge/host"
)

// labelColour is the colour of new labels.
const labelColour = "5b6ee1"

// labelAPI sets labels.
type labelAPI struct{ *server }

// Label sets the labels that have our prefix and leaves others alone.
func (api *labelAPI) Label(ctx context.Context, number int, labels []string) error {
	doing := fmt.Sprintf("label pull request %d", number)
	for _, l := range labels {
		if !strings.HasPrefix(l, host.LabelPrefix) || len(l) > 50 || strings.ContainsAny(l, ",\n") {
			return fmt.Errorf("%s: %q is not an assent label", doing, l)
		}
	}
	now, err := everything(api.server, func(page github.ListOptions) ([]*github.Label, *github.Response, error) {
		return api.usual.Issues.ListLabelsByIssue(ctx, api.owner, api.repo, number, &page)
	})
	if err != nil {
		return explain(doing, err)
	}
	has := func(name string) bool {
		return slices.ContainsFunc(now, func(l *github.Label) bool { return strings.EqualFold(l.GetName(), name) })
	}
	missing := slices.DeleteFunc(slices.Clone(labels), has)
	if err := api.addLabels(ctx, number, missing); err != nil {
		return explain(doing, err)
	}
	for _, l := range now {
		name := l.GetName()
		if !strings.HasPrefix(name, host.LabelPrefix) || slices.ContainsFunc(labels, func(w string) bool { return strings.EqualFold(w, name) }) {
			continue
		}
		err := api.do(ctx, api.usual, http.MethodDelete, api.path("issues/%d/labels/%s", number, escape(name)), nil, nil)
		if err != nil && statusOf(err) != http.StatusNotFound { // already removed
			return explain(doing, err)
		}
	}
	return nil
}

func (api *labelAPI) addLabels(ctx context.Context, number int, names []string) error {
	if len(names) == 0 {
		return nil
	}
	for _, name := range names {
		_, _, err := api.repeatable.Issues.CreateLabel(ctx, api.owner, api.repo, &github.Label{Name: github.String(name), Color: github.String(labelColour)})
		if err != nil && statusOf(err) != http.StatusUnprocessableEntity { // it exists
			return err
		}
	}
	return api.do(ctx, api.repeatable, http.MethodPost, api.path("issues/%d/labels", number), map[string][]string{"labels": names}, nil)
}
