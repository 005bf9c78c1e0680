package simulate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/gate/policy"
)

// Change returns the change for a proposal in one phrase; reason is that of the answer that
// blocks, or of the new one.
func (d Difference) Change() (phrase, reason string) {
	was := d.State
	switch {
	case d.Before.Outcome == policy.Allowed && d.After.Outcome != policy.Allowed:
		return was + ", would now be " + d.After.short(), d.After.Reason
	case d.Before.Outcome != policy.Allowed && d.After.Outcome == policy.Allowed:
		return was + ", would now be allowed; so far " + d.Before.short(), d.Before.Reason
	}
	return was + ", " + d.Before.short() + " → " + d.After.short(), d.After.Reason
}

func (a Answer) short() string {
	out := a.Outcome.String()
	var who []string
	for _, role := range slices.Sorted(maps.Keys(a.Waiting)) {
		who = append(who, fmt.Sprintf("%d %s", a.Waiting[role], role))
	}
	if len(who) > 0 {
		out += " for " + strings.Join(who, ", ")
	}
	return out + " (" + a.Risk.String() + ")"
}

// Summary is one line: the number of proposals and the changes.
func (r Result) Summary() string {
	stricter, looser := 0, 0
	for _, d := range r.Differences {
		switch {
		case d.State == "merged" && d.Before.Outcome == policy.Allowed && d.After.Outcome != policy.Allowed:
			stricter++
		case d.Before.Outcome != policy.Allowed && d.After.Outcome == policy.Allowed:
			looser++
		}
	}
	out := fmt.Sprintf("%d of %d proposals would be answered otherwise", len(r.Differences), r.Judged)
	if stricter > 0 {
		out += fmt.Sprintf("; %d that merged would not be allowed", stricter)
	}
	if looser > 0 {
		out += fmt.Sprintf("; %d more would be allowed", looser)
	}
	if n := len(r.Skipped); n > 0 {
		out += fmt.Sprintf("; %d could not be judged again", n)
	}
	if r.Left > 0 {
		out += fmt.Sprintf("; %d older ones were left out", r.Left)
	}
	return out
}
