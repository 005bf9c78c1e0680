package propose

import (
	"context"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/proposals/render"
	"github.com/assent-dev/assent/engine/workspace"
)

// display is what people see of an examination on the pull request's page. Accounts
// are asked to review where the policies say that they could act.
func display(ex workspace.Examined) forge.Display {
	d := forge.Display{
		Markdown: render.Page(ex.Report, ex.Risk, ex.Verdict, ex.Case.Facts().Tests),
		Labels:   []string{"assent/risk-" + ex.Risk.Tier.String()},
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

// Page is what people should read of an examined pull request where they now read
// something else; empty where they read that, or nothing.
func Page(ex workspace.Examined) string {
	page, shown := display(ex).Markdown, ex.Case.Activity.Shown
	if shown == "" || plain(shown) == plain(page) {
		return ""
	}
	return page
}

// plain leaves away what a service may store otherwise.
func plain(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }

// Refresh shows Page, if there is one: the report stands, and what follows from it is
// another verdict by now. It asks nobody where nothing changed.
func Refresh(ctx context.Context, w *workspace.Workspace, ex workspace.Examined) error {
	page := Page(ex)
	if page == "" {
		return nil
	}
	return w.Forge.Show(ctx, ex.Case.Pull.ID, page)
}
