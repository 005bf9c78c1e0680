package propose

import (
	"slices"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/render"
	"github.com/assent-dev/assent/engine/workspace"
)

// display is what people see of an examination on the pull request's page. Accounts
// are asked to review where the policies say that they could act.
func display(ex workspace.Examined) forge.Display {
	d := forge.Display{
		Markdown: render.Page(ex.Report, ex.Risk, ex.Verdict),
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
