package importer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/proposals/propose"
)

// request asks for one proposal that brings all of jobs.
func (r *run) request(jobs []job) propose.Request {
	q := propose.Request{By: r.o.By, Author: r.o.Author, DryRun: r.o.DryRun}
	for _, j := range jobs {
		q.Edits = append(q.Edits, j.Edits...)
		q.Original = append(q.Original, j.Original...)
		for _, p := range j.LeftOut {
			q.LeftOut = append(q.LeftOut, j.Place+"/"+p)
		}
	}
	brought := q.Original
	if len(brought) == 0 {
		brought = q.Edits
	}
	q.Origin = provenance.Origin{Way: provenance.Import, Source: jobs[0].Name, Digest: propose.DigestOf(brought)}
	if len(jobs) > 1 {
		q.Origin.Source = fmt.Sprintf("%d folders", len(jobs))
	}
	q.Proposal = proposal.Proposal{Goal: goal(jobs), Body: body(jobs)}
	return q
}

func goal(jobs []job) string {
	if len(jobs) == 1 {
		return "import " + jobs[0].Name
	}
	var groups []string
	for _, j := range jobs {
		if g := capability.FolderOf(j.Place).Group; g != "" && !slices.Contains(groups, g) {
			groups = append(groups, g)
		}
	}
	text := fmt.Sprintf("import %d capabilities", len(jobs))
	switch {
	case len(groups) == 1:
		text += " of " + groups[0]
	case len(groups) > 1:
		text += fmt.Sprintf(" of %d groups", len(groups))
	}
	return text
}

// body describes the adaptations for reviewers.
func body(jobs []job) string {
	var out strings.Builder
	out.WriteString("# Why\n\nImported from a folder of skills.\n")
	for _, j := range jobs {
		if j.tracked != "" {
			fmt.Fprintf(&out, "\n%s is tracked: %s\n", j.Name, j.tracked)
		}
	}
	for _, j := range jobs {
		if len(jobs) > 1 || len(j.Changes) > 0 {
			fmt.Fprintf(&out, "\n## %s\n\n", j.Name)
		}
		for _, c := range j.Changes {
			fmt.Fprintf(&out, "- %s\n", strings.Join(strings.Fields(c), " "))
		}
		if len(jobs) > 1 && len(j.Changes) == 0 {
			out.WriteString("As it was found.\n")
		}
	}
	return out.String()
}

// opened is an item whose proposal was opened, or would be.
func opened(item Item, out propose.Outcome) Item {
	item.ID = out.Pull.ID
	item.State = string(gate.State(out.Examined.Case, out.Examined.Verdict))
	item.Diagnostics = append(item.Diagnostics, out.Diagnostics...)
	item.Diagnostics = append(item.Diagnostics, below(out.Examined.Report.Diagnostics, item.Place)...)
	if item.Failed() {
		item.Reason = firstError(item.Diagnostics)
	}
	return item
}

// below are the diagnostics about files of place, and those about no file.
func below(ds diag.List, place string) diag.List {
	var out diag.List
	for _, d := range ds {
		if d.File == "" || d.File == place || strings.HasPrefix(d.File, place+"/") {
			out.Add(d)
		}
	}
	return out
}
