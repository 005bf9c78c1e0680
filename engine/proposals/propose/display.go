package propose

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/proposals/render"
	"github.com/assent-dev/assent/engine/workspace"
)

// display is an examination as shown on the pull request's page. Reviews are requested from the
// accounts that could act by the policies.
func display(ex workspace.Examined) forge.Display {
	facts := ex.Case.Facts()
	checks := policy.Checks(ex.Case.Policies, facts)
	d := forge.Display{
		Markdown: render.Page(ex.Report, ex.Risk, ex.Verdict, facts.Tests, checks),
		Labels:   []string{"assent/risk-" + ex.Risk.Tier.String()},
	}
	for _, s := range checks {
		state := map[policy.CheckState]string{policy.CheckPassed: "success", policy.CheckFailed: "failure"}[s.State]
		d.Checks = append(d.Checks, host.Check{Name: s.Name, State: cmp.Or(state, "pending"), Summary: s.Reason})
	}
	for _, wait := range ex.Verdict.WaitingFor {
		for _, name := range wait.Who {
			id, _ := ex.Case.Policies.Roles.ByName(name)
			if login := id.Logins[ex.Case.Forge]; login != "" && !slices.Contains(d.Reviewers, login) {
				d.Reviewers = append(d.Reviewers, login)
			}
		}
	}
	for _, found := range ex.Report.Diagnostics {
		d.Notes = append(d.Notes, forge.Note{
			Path: found.File, Line: found.Line, Level: found.Severity.String(), Title: found.Rule, Detail: found.Message,
		})
	}
	return d
}

// Page returns the new text for an examined pull request's page; empty if it shows that text
// already, or nothing.
func Page(ex workspace.Examined) string {
	return page(ex, display(ex).Markdown)
}

func page(ex workspace.Examined, text string) string {
	if shown := ex.Case.Activity.Shown; shown == "" || plain(shown) == plain(text) {
		return ""
	}
	return text
}

// plain normalises text as a service may store it.
func plain(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }

// Refresh shows Page, if there is one, and the required checks: the report is unchanged, but the
// verdict may differ. Without a change it makes no request.
func Refresh(ctx context.Context, w *workspace.Workspace, ex workspace.Examined) error {
	d := display(ex)
	if page(ex, d.Markdown) == "" {
		return nil
	}
	return w.Forge.Show(ctx, ex.Case.Pull.ID, ex.Case.Pull.Head, d)
}
