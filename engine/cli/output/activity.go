package output

import (
	"cmp"
	"fmt"
	"time"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/advice"
	"github.com/assent-dev/assent/engine/format/proof"
	"github.com/assent-dev/assent/engine/format/review"
)

// Event is one event of a proposal's conversation.
type Event struct {
	At   time.Time `json:"at"`
	By   string    `json:"by"`
	What string    `json:"what"`
	Text string    `json:"text"`
}

// EventsOf puts the parts of a conversation in order. ignored says why a signed result counts for
// nothing, "" if it counts; without it, results are not weighed. A signed review knows the
// second only, so within a second they go as things happen: pushed, validated,
// discussed, merged.
func EventsOf(a forge.Activity, ignored func(review.Result, review.Fingerprint) string) []Event {
	out := []Event{}
	for _, p := range a.Pushes {
		out = append(out, Event{p.At, p.By.String(), "pushed " + p.New.Short(), p.Note})
		for _, a := range p.Behind {
			out = append(out, Event{p.At, a.String(), "pushed what " + p.New.Short() + " was made of", ""})
		}
	}
	for _, s := range a.Statuses {
		out = append(out, Event{s.At, "assent", "report on " + s.Head.Short(), s.Summary})
	}
	for _, r := range a.Reviews {
		out = append(out, Event{r.At, r.By.String(), r.Decision + " of " + r.Head.Short(), r.Reason})
	}
	for _, c := range a.Comments {
		out = append(out, Event{c.At, c.By.String(), "comment", c.Body})
	}
	for _, ad := range a.Advice {
		text := "a record that cannot be read, which counts for nothing"
		if rec, err := advice.Decode(ad.Record); err == nil {
			text, _ = Opinion{Asked: rec.Asked, Verdict: rec.Weight(), Reason: rec.Reason, Current: true}.Text()
		}
		out = append(out, Event{ad.At, ad.By.String(), "second opinion", text})
	}
	for _, p := range a.Proofs {
		text := "a record that cannot be read, which counts for nothing"
		if rec, err := proof.Decode(p.Record); err == nil {
			if text = trialsText(rec.Trials); p.By.Email != "" && p.By.Email != p.By.String() {
				text = "in a session of " + p.By.Email + ": " + text
			}
		}
		out = append(out, Event{p.At, p.By.String(), "tests", text})
	}
	for _, p := range a.Results {
		text := "a record that cannot be read, which counts for nothing"
		if rec, key, err := review.VerifyResult(review.Signed{Record: p.Record, Signature: p.Signature}); err == nil {
			text = fmt.Sprintf("%s of %s %s, signed by %s", rec.Job, rec.Workflow, cmp.Or(rec.Reason, "passed"), key)
			if ignored == nil {
				text += "; assent show says whether it counts"
			} else if why := ignored(rec, key); why != "" {
				text = "counts for nothing: " + why + "; it says: " + text
			}
		}
		out = append(out, Event{p.At, p.By.String(), "result", text})
	}
	for _, m := range a.Merges {
		out = append(out, Event{m.At, "assent", "merging as " + m.Commit.Short(), ""})
	}
	order.Stable(out, func(a, b Event) int {
		return a.At.Truncate(time.Second).Compare(b.At.Truncate(time.Second))
	})
	return out
}
