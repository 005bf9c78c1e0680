package github

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/go-github/v60/github"

	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/rest"
)

// checkRun publishes a check run with its notes in pages of fifty. The last page
// completes it, so that a run never shows as passed with notes missing.
func (api *checkAPI) checkRun(ctx context.Context, c host.Check) error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	id := hex.EncodeToString(sum[:])
	if _, ok, err := api.shownRun(ctx, c, id, c.State != pending); ok || err != nil {
		return err
	}
	pages := notes(c.Notes)
	o := github.CreateCheckRunOptions{
		Name: c.Context(), HeadSHA: c.Head.String(), ExternalID: &id,
		Status: github.String("in_progress"), Output: output(c, pages[0]),
	}
	if c.URL != "" {
		o.DetailsURL = &c.URL
	}
	if len(pages) == 1 && c.State != pending {
		o.Status, o.Conclusion = github.String("completed"), &c.State
	}
	run, err := makeOnce(ctx, api.sleep, func(ctx context.Context) (*github.CheckRun, error) {
		run, _, err := api.usual.Checks.CreateCheckRun(ctx, api.owner, api.repo, o)
		return run, err
	}, func(ctx context.Context) (*github.CheckRun, bool, error) {
		return api.shownRun(ctx, c, id, *o.Status == "completed")
	})
	if err != nil {
		return err
	}
	return api.moreNotes(ctx, run, c, pages[1:])
}

// moreNotes adds pages of notes; GitHub appends them to the existing ones.
func (api *checkAPI) moreNotes(ctx context.Context, run *github.CheckRun, c host.Check, pages [][]*github.CheckRunAnnotation) error {
	for i, page := range pages {
		change := map[string]any{"output": output(c, page)}
		if i == len(pages)-1 && c.State != pending {
			change["status"], change["conclusion"] = "completed", c.State
		}
		if err := api.do(ctx, api.once, http.MethodPatch, api.path("check-runs/%d", run.GetID()), change, nil); err != nil {
			return err
		}
	}
	return nil
}

// shownRun returns the App's newest run on the commit, if its content is current.
func (api *checkAPI) shownRun(ctx context.Context, c host.Check, id string, completed bool) (*github.CheckRun, bool, error) {
	me, err := api.Login(ctx)
	if err != nil {
		return nil, false, err
	}
	name := c.Context()
	found, _, err := api.usual.Checks.ListCheckRunsForRef(ctx, api.owner, api.repo, c.Head.String(),
		&github.ListCheckRunsOptions{CheckName: &name, Filter: github.String("latest"), ListOptions: github.ListOptions{PerPage: perPage}})
	if err != nil {
		return nil, false, err
	}
	var newest *github.CheckRun
	for _, r := range found.CheckRuns {
		if strings.EqualFold(r.GetApp().GetSlug()+"[bot]", me) && r.GetID() > newest.GetID() {
			newest = r
		}
	}
	return newest, newest.GetExternalID() == id && (newest.GetStatus() == "completed") == completed, nil
}

func output(c host.Check, page []*github.CheckRunAnnotation) *github.CheckRunOutput {
	out := &github.CheckRunOutput{Title: github.String(rest.CutBytes(c.Summary, maxNoteTitle)), Summary: github.String(rest.CutBytes(c.Summary, maxOutput)), Annotations: page}
	text := c.Text
	if left := len(c.Notes) - maxNotes; left > 0 {
		text = fmt.Sprintf("%d more findings are not shown in files.\n\n%s", left, text)
	}
	if text != "" {
		out.Text = github.String(rest.CutBytes(text, maxOutput))
	}
	return out
}

// notes splits annotations into pages of fifty, at least one page.
func notes(all []host.Note) [][]*github.CheckRunAnnotation {
	pages := [][]*github.CheckRunAnnotation{nil}
	for _, n := range all[:min(len(all), maxNotes)] {
		if n.Path == "" {
			continue
		}
		last := len(pages) - 1
		if len(pages[last]) == notesAtOnce {
			pages, last = append(pages, nil), last+1
		}
		pages[last] = append(pages[last], annotation(n))
	}
	return pages
}

func annotation(n host.Note) *github.CheckRunAnnotation {
	line, detail := max(n.Line, 1), cmp.Or(n.Detail, n.Title, n.Path) // GitHub requires a message
	level := map[string]string{"error": "failure", "warning": "warning"}[n.Level]
	if level == "" {
		level = "notice"
	}
	a := &github.CheckRunAnnotation{
		Path: &n.Path, StartLine: &line, EndLine: &line, AnnotationLevel: &level, Message: github.String(rest.CutBytes(detail, maxNote)),
	}
	if n.Title != "" {
		a.Title = github.String(rest.CutBytes(n.Title, maxNoteTitle))
	}
	return a
}
