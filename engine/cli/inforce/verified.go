package inforce

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/format/soul"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// verifiedJSON says what the newest merge of a capability showed of it.
type verifiedJSON struct {
	Proposal string `json:"proposal"`
	// Mastery is of the tests that ran for the merge, with the counts; absent if none ran.
	Mastery *float64 `json:"mastery,omitempty"`
	Passed  int      `json:"passed"`
	Failed  int      `json:"failed"`
	// TestedBy is whose key signed that outcome, else the key's fingerprint; empty if no one signed.
	TestedBy string `json:"tested_by,omitempty"`
	// By are the agents who validated it in the run that brought it, with the points that their tests
	// cover. Names are claims.
	By     []string `json:"by"`
	Covers []string `json:"covers"`
}

// verifiedBy returns what the merge e showed of the capability at path; nil if e is no merge.
func verifiedBy(ctx context.Context, cur workspace.Session, path string, e audit.Entry) (*verifiedJSON, error) {
	if e.Kind != audit.Merge {
		return nil, nil //nolint:nilnil // nothing was shown
	}
	out := &verifiedJSON{Proposal: e.Proposal, By: []string{}, Covers: []string{}}
	pull, err := cur.Record.Get(ctx, e.Proposal)
	if err != nil {
		return nil, err
	}
	att, err := cur.Attestation(ctx, pull)
	if err != nil {
		return nil, err
	}
	for _, t := range att.Tests {
		if t.Path == path {
			out.Mastery, out.Passed, out.Failed = &t.Mastery, t.Passed, t.Failed
			out.TestedBy = string(att.Signer)
			if who, known := cur.Policies.Roles.ByKey(att.Signer); known {
				out.TestedBy = who.Name
			}
		}
	}
	all, err := task.Continued(cur, e.Proposal) // a proposal of a run has its id
	if err != nil || len(all) == 0 {
		return out, err
	}
	defs, err := task.DefinitionsOf(cur)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{} // the newest result of a job counts, which a run that went on has taken over or done again
	for _, s := range slices.Backward(all) {
		flow, _ := defs.Recorded(s)
		for _, j := range flow.Jobs {
			if state := s.Jobs[j.Name]; len(j.Covers) > 0 && !seen[j.Name] && state.Status == run.Did && state.Result != nil {
				seen[j.Name] = true
				out.By, out.Covers = append(out.By, state.Doer()), append(out.Covers, state.Result.Covers...)
			}
		}
	}
	return out, nil
}

// text says it in a line.
func (v *verifiedJSON) text() string {
	if v == nil || v.Mastery == nil && len(v.By) == 0 {
		return ""
	}
	var parts []string
	if v.Mastery != nil {
		text := fmt.Sprintf("mastery %.2f: %d of %d cases passed for the merge", *v.Mastery, v.Passed, v.Passed+v.Failed)
		if v.TestedBy != "" {
			text += ", run by " + v.TestedBy
		}
		parts = append(parts, text)
	}
	if len(v.By) > 0 {
		by := "validated by " + strings.Join(v.By, ", ")
		if len(v.Covers) > 0 {
			by += " (" + strings.Join(v.Covers, ", ") + ")"
		}
		parts = append(parts, by)
	}
	return strings.Join(parts, "; ")
}

// verifiedEntries returns it for the entries of a learned list whose capability is in force.
func verifiedEntries(ctx context.Context, cur workspace.Session, learned []soul.Entry) (map[string]*verifiedJSON, error) {
	at, paths, out := map[string]string{}, []string{}, map[string]*verifiedJSON{}
	for _, e := range learned {
		known, err := cur.View.Named(e.Name)
		if err != nil {
			return nil, err
		}
		if len(known) > 0 {
			at[e.Name] = known[0].Path
			paths = append(paths, known[0].Path)
		}
	}
	last, err := audit.LastChanges(cur.Repo, cur.InForce, paths)
	if err != nil || len(last) == 0 {
		return out, err
	}
	commits := map[tree.Hash]bool{}
	for _, o := range last {
		commits[o.Hash] = true
	}
	found, err := audit.Log(ctx, cur, len(commits), func(c gitstore.Commit) (bool, error) { return commits[c.Hash], nil })
	if err != nil {
		return nil, err
	}
	for name, path := range at {
		for _, e := range found {
			if e.Commit != last[path].Hash {
				continue
			}
			if out[name], err = verifiedBy(ctx, cur, path, e); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// printEvidence shows a person what is known of the entries, below the text of the soul.
func printEvidence(c *console.Console, all map[string]*verifiedJSON) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		c.Optional(console.OneLine(name), console.OneLine(all[name].text()))
	}
}
