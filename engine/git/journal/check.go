package journal

import (
	"fmt"

	"github.com/assent-dev/assent/engine/git/gitstore"
)

// Check reports the first event that this package would have written otherwise:
// whose text, author or date tells readers of `git log` something else than its
// trailers tell us. How an event is written is therefore part of Version. It proves
// nothing about who wrote it.
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
		return fmt.Errorf("event %d (%s) has another %s than was written with it: %w", e.Sequence, e.Commit.Short(), what, ErrNotJournal)
	}
	return nil
}
