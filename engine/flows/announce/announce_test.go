package announce_test

import (
	"context"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/announce"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/host/memhost"
	"github.com/assent-dev/assent/engine/gate/validate"
)

func hash(t *testing.T, digit string) tree.Hash {
	t.Helper()
	h, err := tree.ParseHash(strings.Repeat(digit, 40))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// bad is a report with one error and hostile text.
func bad() validate.Report {
	r := validate.Report{V: validate.ReportVersion}
	r.Diagnostics.Errorf("a-rule", diag.Pos{File: "skills/a/SKILL.md", Line: 3}, "do not", "@everyone look <img src=x>")
	return r
}

func TestReport(t *testing.T) {
	ctx, first, second := context.Background(), hash(t, "1"), hash(t, "2")
	at := first
	server := memhost.New(func(string) tree.Hash { return at })
	h := server.As("bot")
	shown, err := h.Create(ctx, host.New{Branch: "feature", Base: "main", Title: "a feature"})
	if err != nil {
		t.Fatal(err)
	}
	tell := func(s announce.Subject, r validate.Report, wantState string, wantNumber, wantComments int) {
		t.Helper()
		told, err := announce.Report(ctx, h, s, r)
		if err != nil {
			t.Fatal(err)
		}
		if told.State != wantState || told.Number != wantNumber || (told.Number == 0) != (told.Why != "") {
			t.Errorf("told %+v, want %s on %d", told, wantState, wantNumber)
		}
		said, err := h.Comments(ctx, shown.Number)
		if err != nil || len(said) != wantComments {
			t.Errorf("%d comments, want %d: %v", len(said), wantComments, err)
		}
		checks := server.Checks()
		if last := checks[len(checks)-1]; last.Head != s.Head || last.State != wantState {
			t.Errorf("the check is %+v", last)
		}
	}
	good := validate.Report{V: validate.ReportVersion, Passed: true}

	tell(announce.Subject{Head: first, Branch: "feature"}, good, "success", 0, 0) // nothing to say
	tell(announce.Subject{Head: second, Branch: "feature"}, bad(), "failure", 0, 0)
	tell(announce.Subject{Head: first, Branch: "other"}, bad(), "failure", 0, 0)
	tell(announce.Subject{Head: first}, bad(), "failure", 0, 0)
	tell(announce.Subject{Head: first, Branch: "feature"}, bad(), "failure", shown.Number, 1)
	tell(announce.Subject{Head: first, Branch: "feature"}, bad(), "failure", shown.Number, 1) // the same one
	said, err := h.Comments(ctx, shown.Number)
	if err != nil || !strings.Contains(said[0].Body, "`@everyone look <img src=x>`") || !strings.Contains(said[0].Body, first.String()) {
		t.Errorf("the comment says %q, %v", said[0].Body, err)
	}
	at = second
	tell(announce.Subject{Head: second, Branch: "feature"}, good, "success", shown.Number, 1) // the earlier finding is outdated

	// A report that claims to have passed is not believed if it has an error.
	lying := bad()
	lying.Passed = true
	tell(announce.Subject{Head: second, Branch: "feature"}, lying, "failure", shown.Number, 1)
	if err := h.SetOpen(ctx, shown.Number, false); err != nil {
		t.Fatal(err)
	}
	tell(announce.Subject{Head: second, Branch: "feature"}, bad(), "failure", 0, 1)
}
