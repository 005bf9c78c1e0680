package announce

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/proposals/render"
)

// key identifies the comment. The engine's own comment on a proposal has another key, so
// neither replaces the other.
const key = "assent-validation"

// Subject is what a report is about.
type Subject struct {
	Head tree.Hash
	// Branch is the source of its pull request; empty if there is none to comment on.
	Branch string
	// URL leads to the run that validated; may be empty.
	URL string
}

// Told is the published state of a report.
type Told struct {
	State string `json:"state"` // of the status: success or failure
	// Number is the pull request with the comment, or 0; then Why is the reason.
	Number int    `json:"number"`
	Why    string `json:"why,omitempty"`
	// Shown is the pull request whose newest commit this is, or 0.
	Shown int `json:"-"`
}

// Report publishes the status, on which a merge may depend, and then the comment. It is
// idempotent.
func Report(ctx context.Context, h host.Host, s Subject, r validate.Report) (Told, error) {
	out := Told{State: State(r)}
	r.Passed = !r.Diagnostics.HasErrors()
	body, err := render.Report(render.FormatMarkdown, r)
	if err != nil {
		return out, err
	}
	check := host.Check{Head: s.Head, State: out.State, Summary: r.Summary(), Text: string(body), URL: s.URL, Notes: notes(r)}
	if err := h.Check(ctx, check); err != nil {
		return out, err
	}
	out.Number, out.Why, err = requestOf(ctx, h, s)
	if out.Shown = out.Number; err != nil || out.Number == 0 {
		return out, err
	}
	if len(r.Diagnostics) == 0 {
		said, err := h.Comments(ctx, out.Number)
		if err != nil {
			return out, err
		}
		if !slices.ContainsFunc(said, func(c host.Comment) bool { return c.Key == key }) {
			out.Number, out.Why = 0, "there are no findings, and no earlier comment"
			return out, nil
		}
	}
	return out, h.Comment(ctx, out.Number, key, fmt.Sprintf("%s\nOf commit %s.\n", body, s.Head))
}

// State returns the status of a report: success or failure.
func State(r validate.Report) string {
	if r.Diagnostics.HasErrors() {
		return "failure"
	}
	return "success"
}

// requestOf finds the pull request whose newest commit is the validated one. A branch of
// another repository can have the same name, and a branch can have moved.
func requestOf(ctx context.Context, h host.Host, s Subject) (number int, why string, err error) {
	if s.Branch == "" {
		return 0, "no branch is named", nil
	}
	shown, err := h.Find(ctx, s.Branch, "main")
	switch {
	case errors.Is(err, host.ErrNoRequest):
		return 0, "no pull request comes from that branch", nil
	case err != nil:
		return 0, "", err
	case !shown.Open:
		return 0, "the pull request is closed", nil
	case shown.Head != s.Head:
		return 0, "the pull request has another commit by now", nil
	}
	return shown.Number, "", nil
}

func notes(r validate.Report) []host.Note {
	var out []host.Note
	for _, d := range r.Diagnostics {
		detail := d.Message
		if d.Fix != "" {
			detail += "\nfix: " + d.Fix
		}
		if d.File != "" {
			out = append(out, host.Note{Path: d.File, Line: d.Line, Level: d.Severity.String(), Title: d.Rule, Detail: detail})
		}
	}
	return out
}
