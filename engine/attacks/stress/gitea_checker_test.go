package stress_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
)

// accounts compares a fresh clone, read by ordinary git, and the server's API with the expected
// result of each errand.
func (s *service) accounts(errands []*errand) {
	s.Helper()
	clone := *s.place
	clone.dir = filepath.Join(s.place.root, "fresh.git")
	clone.must(s.T, git("clone", "-q", "--mirror", s.url, clone.dir).in(s.place.root))
	var facts []fact
	for _, e := range errands {
		if e.request.Merged {
			text := e.texts[len(e.texts)-1]
			facts = append(facts, fact{kind: "merged", on: e.id, new: e.request.Commit, file: e.file, blob: blobOf(text)})
		}
	}
	h, found, err := newChecker(&clone).check(facts)
	must(s.T, err)
	requests := s.requests("all")
	for _, f := range append(found, compare(errands, h, requests)...) {
		s.Error(f)
	}
	s.Logf("%d pull requests were opened beside another one, and closed", len(requests)-len(errands))
	audited := filepath.Join(s.place.root, "audited")
	s.place.must(s.T, assent("clone", s.url, audited).in(s.place.root))
	s.Log(s.place.must(s.T, assent("audit", "verify").in(audited)))
}

// compare compares journals, main and the server's pull requests.
func compare(errands []*errand, h history, requests []request) (found []finding) {
	shown := map[string][]request{}
	for _, r := range requests {
		shown[r.Head.Label] = append(shown[r.Head.Label], r)
	}
	for _, e := range errands {
		found = append(found, e.fate(h, shown["proposal/"+e.id])...)
		delete(shown, "proposal/"+e.id)
	}
	for _, label := range slices.Sorted(maps.Keys(shown)) {
		found = append(found, finding{"unknown", fmt.Sprintf("nobody proposed %s: %+v", label, shown[label])})
	}
	return found
}

// fate returns the findings about an errand: it must be merged once or refused once, and main, its
// journal and the server must agree.
func (e *errand) fate(h history, shown []request) (found []finding) {
	wrong := func(rule, format string, args ...any) {
		found = append(found, finding{rule, fmt.Sprintf("%s (%s): ", e.name, e.course) + fmt.Sprintf(format, args...)})
	}
	if ids := h.of(e.name); len(ids) != 1 || ids[0] != e.id {
		wrong("proposals", "it became %v", ids)
		return found
	}
	times := 0
	for _, c := range h.main {
		if c.trailer("Assent-Proposal") == e.id {
			times++
		}
	}
	merged := h.merge(e.id)
	if want := e.wanted(); times != want {
		wrong("merged", "%d times on main, want %d", times, want)
	}
	if closed := len(h.journals[e.id].of("closed")); closed != 1-times {
		wrong("refused", "%d times in its journal, and merged %d times", closed, times)
	}
	if times > 0 && !slices.Contains(e.meant, merged.parents[1]) {
		wrong("approved", "merged at %s, approved were %v", merged.parents[1], e.meant)
	}
	there := 0
	for _, r := range shown {
		if r.State == "open" || r.Merged && r.Commit != merged.hash {
			wrong("shown", "%+v, main has %q", r, merged.hash)
		}
		if r.Merged {
			there++
		}
	}
	if there != times {
		wrong("shown", "%d times as merged on the server, %d times on main", there, times)
	}
	return found
}

// wanted returns how often the errand must be on main. Of two that conflict, the one that the
// server shows as merged counts, and if neither is, the first.
func (e *errand) wanted() int {
	merges := e.course == plain || e.course == signed || e.course == restale
	if e.course == twin {
		merges = e.request.Merged || !e.rival.request.Merged && e.name < e.rival.name
	}
	if merges {
		return 1
	}
	return 0
}
