package render

import (
	"maps"
	"slices"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/markup"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/soul"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/scan"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// rule is the description of a rule.
type rule struct {
	id, summary, help string
	severity          diag.Severity
}

// rules returns the rules of the report's findings, by id, described by their packages.
func rules(found diag.List) []rule {
	known := described()
	out := map[string]rule{}
	for _, d := range found {
		r, ok := out[d.Rule]
		if !ok {
			if r, ok = known[d.Rule]; !ok {
				r = rule{id: d.Rule, severity: d.Severity}
			}
		}
		r.severity = min(r.severity, d.Severity)
		out[d.Rule] = r
	}
	ids := slices.Sorted(maps.Keys(out))
	list := make([]rule, len(ids))
	for i, id := range ids {
		list[i] = out[id]
	}
	return list
}

// described gathers the rule tables of all packages that report.
func described() map[string]rule {
	out := map[string]rule{}
	for _, table := range []map[string]string{
		capability.Rules(), markup.Rules(), names.Rules(), policy.Rules(), proposal.Rules(), soul.Rules(), strictyaml.Rules(),
		run.Rules(), suite.Rules(), validate.Rules(), workflow.Rules(),
	} {
		for id, summary := range table {
			out[id] = rule{id: id, summary: summary}
		}
	}
	for _, r := range scan.Rules() {
		out[r.ID] = rule{id: r.ID, summary: r.Summary, help: r.Why + " " + r.Fix, severity: r.Severity}
	}
	return out
}
