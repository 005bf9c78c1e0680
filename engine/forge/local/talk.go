package local

import (
	"context"
	"strconv"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/journal"
)

// Comment implements forge.Forge. A repetition of the last comment is not recorded.
func (f *Forge) Comment(_ context.Context, id string, c forge.Comment) error {
	return f.request("comment on", id, c.At, c.Check(), func(now observed) (decision, error) {
		if n := len(now.activity.Comments); n > 0 {
			if last := now.activity.Comments[n-1]; last.By == c.By && last.Key == c.Key && last.Body == c.Body && last.At.Equal(c.At) {
				return decision{}, nil
			}
		}
		ev, err := withActor(journal.Event{Kind: evComment, At: c.At, Note: c.Body, Fields: fields("Key", c.Key)}, c.By, now.pull.State)
		return decision{event: ev}, err
	})
}

// engine is the actor that records reports.
var engine = forge.Actor{Name: "assent"}

// Status implements forge.Forge. A repetition of the newest report of its head is not
// recorded.
func (f *Forge) Status(_ context.Context, id string, s forge.Status) error {
	return f.request("record the report of", id, s.At, s.Check(), func(now observed) (decision, error) {
		if err := mustBeOpen(now.pull); err != nil {
			return decision{}, err
		}
		if sameAsLast(now.activity.Statuses, s) {
			return decision{}, nil
		}
		ev, err := withActor(journal.Event{
			Kind: evReport, At: s.At, Note: s.Summary,
			Fields: fields("Head", s.Head.String(), "Base-Commit", s.Base.String(), "Passed", strconv.FormatBool(s.Passed), "Digest", s.Digest),
			Files:  map[string][]byte{reportFile: s.Report},
		}, engine, forge.Open)
		return decision{event: ev}, err
	})
}

func sameAsLast(there []forge.Status, s forge.Status) bool {
	for i := len(there) - 1; i >= 0; i-- {
		if last := there[i]; last.Head == s.Head {
			return last.Digest == s.Digest && last.Base == s.Base && last.Passed == s.Passed && last.Summary == s.Summary
		}
	}
	return false
}
