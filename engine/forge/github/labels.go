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

// labelColour is that of the labels that are made here.
const labelColour = "5b6ee1"

// Label makes the labels with our prefix those given and leaves others alone.
func (h *Host) Label(ctx context.Context, number int, labels []string) error {
	doing := fmt.Sprintf("label pull request %d", number)
	for _, l := range labels {
		if !strings.HasPrefix(l, host.LabelPrefix) || len(l) > 50 || strings.ContainsAny(l, ",\n") {
			return fmt.Errorf("%s: %q is no label of ours", doing, l)
		}
	}
	now, err := everything(func(page github.ListOptions) ([]*github.Label, *github.Response, error) {
		return h.api.Issues.ListLabelsByIssue(ctx, h.owner, h.repo, number, &page)
	})
	if err != nil {
		return explain(doing, err)
	}
	has := func(name string) bool {
		return slices.ContainsFunc(now, func(l *github.Label) bool { return strings.EqualFold(l.GetName(), name) })
	}
	missing := slices.DeleteFunc(slices.Clone(labels), has)
	if err := h.addLabels(ctx, number, missing); err != nil {
		return explain(doing, err)
	}
	for _, l := range now {
		name := l.GetName()
		if !strings.HasPrefix(name, host.LabelPrefix) || slices.ContainsFunc(labels, func(w string) bool { return strings.EqualFold(w, name) }) {
			continue
		}
		err := h.do(ctx, http.MethodDelete, h.path("issues/%d/labels/%s", number, escape(name)), nil, nil)
		if err != nil && statusOf(err) != http.StatusNotFound { // somebody took it off
			return explain(doing, err)
		}
	}
	return nil
}

func (h *Host) addLabels(ctx context.Context, number int, names []string) error {
	if len(names) == 0 {
		return nil
	}
	ctx = repeatable(ctx)
	for _, name := range names {
		_, _, err := h.api.Issues.CreateLabel(ctx, h.owner, h.repo, &github.Label{Name: github.String(name), Color: github.String(labelColour)})
		if err != nil && statusOf(err) != http.StatusUnprocessableEntity { // it is there
			return err
		}
	}
	return h.do(ctx, http.MethodPost, h.path("issues/%d/labels", number), map[string][]string{"labels": names}, nil)
}
