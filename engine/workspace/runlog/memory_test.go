package runlog_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
	"github.com/assent-dev/assent/engine/workspace/run"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

// A log that remembers reads what another reads: after new records, after the journal was taken back, and
// after it went on otherwise from there.
func TestRemembering(t *testing.T) {
	s := begin(t)
	ref := runlog.Prefix + knot
	remembers := runlog.Of(s.repo).Remembering(&runlog.Memory{})
	same := func(records int) {
		t.Helper()
		for range 2 {
			got, err := remembers.Read(knot)
			if err != nil {
				t.Fatal(err)
			}
			want, err := s.Read(knot)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got); d != "" || got.Records != records {
				t.Errorf("%d records, want %d (-want +got):\n%s", got.Records, records, d)
			}
		}
	}
	s.says(start("knots"))
	same(1)
	first, err := s.repo.Ref(ref)
	if err != nil {
		t.Fatal(err)
	}
	s.says(asked("look"), claimed("look", "smith"))
	same(3)
	storetest.Git(t, s.repo.Top(), "update-ref", ref, first.String())
	same(1)
	s.says(asked("try"), done("try", "scout"))
	same(3)
	s.says(ended(run.Completed))
	same(4)
}
