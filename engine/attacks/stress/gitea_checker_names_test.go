package stress_test

import (
	"slices"
	"testing"
)

// The checker names each error that engines can make beside a service, by its rule.
func TestCheckerNamesWhatAServiceShows(t *testing.T) {
	at := func(hash, id string) commit {
		return commit{hash: hash, parents: []string{"before", "head"}, message: "Merge\n\nAssent-Proposal: " + id + "\n"}
	}
	closed := journal{{kind: "opened"}, {kind: "closed"}}
	for name, c := range map[string]struct {
		course course
		change func(h *history, e *errand, all *[]request)
		want   string
	}{
		"nothing":             {plain, func(*history, *errand, *[]request) {}, ""},
		"merged twice":        {plain, func(h *history, _ *errand, _ *[]request) { h.main = append(h.main, at("m2", "a-1")) }, "merged"},
		"merged and refused":  {plain, func(h *history, _ *errand, _ *[]request) { h.journals["a-1"] = closed }, "refused"},
		"another head":        {plain, func(_ *history, e *errand, _ *[]request) { e.meant = []string{"older"} }, "approved"},
		"lost":                {plain, func(h *history, _ *errand, _ *[]request) { h.main = nil }, "merged"},
		"not shown as merged": {plain, func(_ *history, _ *errand, all *[]request) { (*all)[0].Merged = false }, "shown"},
		"still open":          {plain, func(_ *history, _ *errand, all *[]request) { *all = append(*all, shownOpen("a-1")) }, "shown"},
		"two of one":          {plain, func(h *history, _ *errand, _ *[]request) { h.journals["a-2"] = closed }, "proposals"},
		"nobody's":            {plain, func(_ *history, _ *errand, all *[]request) { *all = append(*all, shownOpen("b-1")) }, "unknown"},
		"poison merged":       {poison, func(*history, *errand, *[]request) {}, "merged"},
		"never refused": {poison, func(h *history, _ *errand, all *[]request) {
			h.main, *all = nil, nil
		}, "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			e := &errand{course: c.course, name: "a", id: "a-1", meant: []string{"head"}}
			h := history{main: []commit{at("m", "a-1")}, journals: map[string]journal{"a-1": {{kind: "opened"}}}}
			all := []request{{Number: 1, State: "closed", Merged: true, Commit: "m"}}
			all[0].Head.Label = "proposal/a-1"
			c.change(&h, e, &all)
			found := compare([]*errand{e}, h, all)
			if c.want == "" && len(found) > 0 || c.want != "" && !slices.ContainsFunc(found, func(f finding) bool { return f.rule == c.want }) {
				t.Errorf("%v; want %q", found, c.want)
			}
		})
	}
}

func shownOpen(id string) request {
	r := request{Number: 2, State: "open"}
	r.Head.Label = "proposal/" + id
	return r
}
