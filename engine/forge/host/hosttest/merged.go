package hosttest

import (
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/host"
)

// gone is the zero hash: pushing it deletes the branch.
var gone = tree.Hash{}

// merge merges a pull request into the base by a push, as the engine does.
func (s *suite) merge(r host.Request) tree.Hash {
	s.Helper()
	commit := s.Commit(s.T, "proposals/"+strings.TrimPrefix(r.Branch, "proposal/")+".md", "merged", s.Tip(s.T, Base), r.Head)
	s.Push(s.T, Engine, Base, commit)
	return commit
}

// merged checks that a request shows as merged by a commit. If the service cannot show
// that, it must be closed with one comment that names the commit.
func (s *suite) merged(r host.Request, commit tree.Hash) {
	s.Helper()
	s.shownMerged(r, commit, Merges)
}

// shownMerged is merged for cases in which the service needs a certain feature.
func (s *suite) shownMerged(r host.Request, commit tree.Hash, needed Feature) {
	s.Helper()
	if why, lacks := s.Lacks[needed]; lacks {
		s.Logf("%s lacks: %s (%s)", s.Name, needed, why)
		naming := 0
		for _, body := range s.Raw(s.T, r.Number) {
			if strings.Contains(body, commit.String()) {
				naming++
			}
		}
		s.same("comments that name the commit", naming, 1)
	} else {
		s.until("the merge", func() string {
			if found := s.find(r.Branch); !found.Merged || found.Merge != commit {
				return plain(found)
			}
			return ""
		})
	}
	found := s.find(r.Branch)
	s.same("open", found.Open, false)
	s.same("number", found.Number, r.Number)
}

func testMarkMerged(s *suite) {
	r := s.open("csv")
	commit := s.merge(r)
	for range 3 {
		s.ok(s.host.MarkMerged(s.ctx, r.Number, commit))
		s.merged(r, commit)
	}
	s.same("listed as open", s.numbers("proposal/", true), []int(nil))
	s.same("listed", s.numbers("proposal/", false), []int{r.Number})
	s.Push(s.T, Engine, r.Branch, gone)
	s.merged(r, commit)
	s.ok(s.host.MarkMerged(s.ctx, r.Number, commit))
}

// testMarkMergedLate: several merges are on the base before the service is informed.
func testMarkMergedLate(s *suite) {
	a, b := s.open("a"), s.open("b")
	first := s.merge(a)
	second := s.merge(b)
	s.Push(s.T, Engine, Base, s.Commit(s.T, "README.md", "on", second))
	s.ok(s.host.MarkMerged(s.ctx, b.Number, second))
	s.ok(s.host.MarkMerged(s.ctx, a.Number, first))
	s.merged(b, second)
	s.merged(a, first)
}

// testMarkMergedClosed: a person closed the pull request while the engine merged it.
func testMarkMergedClosed(s *suite) {
	r := s.open("csv")
	s.SetOpen(s.T, Ada, r.Number, false)
	commit := s.merge(r)
	s.ok(s.host.MarkMerged(s.ctx, r.Number, commit))
	s.shownMerged(r, commit, ClosedMerges)
}

func testMarkMergedRefuses(s *suite) {
	r := s.open("csv")
	elsewhere := s.Commit(s.T, "README.md", "not on main", s.Tip(s.T, Base), r.Head)
	s.Push(s.T, Ada, "elsewhere", elsewhere)
	s.denied("a request that is not there", s.host.MarkMerged(s.ctx, r.Number+1000, elsewhere))
	if _, lacks := s.Lacks[Merges]; !lacks {
		s.denied("a commit that is not on the base", s.host.MarkMerged(s.ctx, r.Number, elsewhere))
		s.same("merged", s.find(r.Branch).Merged, false)
		s.same("open", slices.Contains(s.numbers("proposal/", true), r.Number), true)
	}
}
