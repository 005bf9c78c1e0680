package journal

import (
	"fmt"

	"github.com/assent-dev/assent/engine/git/gitstore"
)

// Check reports the first event whose commit differs from what this package writes: whose text,
// author or date shows readers of `git log` something other than its trailers. So the form of
// an event is part of Version. Check does not prove who wrote it.
func Check(r *gitstore.Repo, events []Event) error {
	for _, e := range events {
		c, err := r.Commit(e.Commit)
		if err != nil {
			return fmt.Errorf("event %s: %w", e.Commit.Short(), err)
		}
		var what string
		switch {
		case c.Message != e.message():
			what = "message"
		case !c.Author.Same(person(e.By, e.At).Recorded()):
			what = "author"
		case !c.Committer.Same(writer(e.At).Recorded()):
			what = "committer"
		case c.Signature != "":
			what = "signature"
		default:
			continue
		}
		return fmt.Errorf("event %d (%s) has a different %s than this program writes: %w", e.Sequence, e.Commit.Short(), what, ErrNotJournal)
	}
	return nil
}
