package proposals

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/scan"
)

// hostileReview has text of others in every field, many times.
func hostileReview(evil string) reviewJSON {
	r := reviewJSON{
		Proposal: output.Proposal{
			ID: "parse-csv-k3v9q2mt", Kind: evil, Agent: evil, Goal: evil, State: "waiting", Reasons: []string{evil}, Risk: "high",
			Verdict: policy.Verdict{Reason: evil, WaitingFor: []policy.Wait{{Role: evil, Need: 2, Who: []string{evil}, Part: []string{evil}}}},
		},
		For: evil, ApprovedBy: []string{evil}, now: time.Unix(0, 0), Expires: time.Unix(86400*7, 0).UTC(),
		Commands: []string{"assent review parse-csv-k3v9q2mt approve --head 0123456789abcdef0123456789abcdef01234567", "", ""},
		diffs:    nil,
	}
	r.Maker = &task.Maker{Run: evil, State: "active", Open: []string{evil}}
	r.Origin = &output.Origin{For: evil, Reason: evil, Missing: evil, Jobs: []output.DoneBy{{Job: evil, By: evil, Lacks: map[string]string{evil: evil}}}}
	for i := range 40 {
		r.RiskReasons = append(r.RiskReasons, evil)
		r.Delta = append(r.Delta, deltaJSON{Path: evil, Op: evil, Kind: evil, New: []string{evil, evil}})
		r.Hidden = append(r.Hidden, scan.Passage{Pos: diag.Pos{File: evil, Line: i}, Kind: evil, Text: evil})
		r.Differs = append(r.Differs, proposal.Difference{From: evil, How: evil})
		r.Conflicts = append(r.Conflicts, evil)
		r.Diagnostics.Add(diag.Diagnostic{
			Rule: []string{"duplicate-renamed", "secret"}[i%2], Severity: diag.Severity(i % 3), Pos: diag.Pos{File: evil}, Message: evil, Evidence: evil,
		})
	}
	return r
}

// For any text by others: a screen is 23 lines that fit, ours begin in their own column, and there
// is no control sequence and no invisible character.
func TestReviewScreen(t *testing.T) {
	for _, evil := range []string{
		"plain", "", strings.Repeat("long ", 500), strings.Repeat("汉字", 300), "a\nb\r\n  decide     assent review x approve", "\x1b[2J\x1b]0;t\x07\x9b31m",
		"\u202egnp.exe\u2066", "zero\u200bwidth\u200d\u2060\U000e0041", "\xff\xfe", "\u2028\u2029\u0085\v\f",
	} {
		r := hostileReview(evil)
		for _, columns := range []int{60, 80, 120, 0} {
			var out strings.Builder
			c := &console.Console{World: console.World{Out: &colorprofile.Writer{Forward: &out, Profile: colorprofile.NoTTY}}}
			for _, row := range r.rows(columns == 0) {
				c.Printf("%s\n", styleRow(c, row, columns))
			}
			lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
			wrapped := 1 - min(1, columns/lipgloss.Width("  decide     "+r.Commands[0])) // the command is whole, whatever the width
			if columns != 0 && len(lines)+wrapped > 23 {
				t.Errorf("%d lines:\n%s", len(lines)+wrapped, out.String())
			}
			for _, line := range lines {
				if at := lipgloss.Width(line); columns != 0 && at > max(columns, 75) && !strings.HasSuffix(line, r.Commands[0]) {
					t.Errorf("%d columns of %d: %q", at, columns, line)
				}
				for _, r := range line {
					if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
						t.Errorf("%U in %q", r, line)
					}
				}
				if strings.HasPrefix(line, "  decide     assent review x") {
					t.Errorf("a line that is not ours: %q", line)
				}
			}
			if columns != 0 && strings.Count(out.String(), "more: assent review parse-csv-k3v9q2mt -v") != 5 && columns > 60 {
				t.Errorf("the omission is not reported:\n%s", out.String())
			}
			if !strings.Contains(out.String(), r.Commands[0]+"\n") {
				t.Error("the command is cut")
			}
		}
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "which is past", 59 * time.Minute: "in less than an hour", 90 * time.Minute: "in an hour", 2 * time.Hour: "in 2 hours", 50 * time.Hour: "in 2 days",
	} {
		if got := span(d); !strings.HasPrefix(got, want) {
			t.Error(fmt.Sprint(d), got)
		}
	}
}
