package journal

import "github.com/assent-dev/assent/engine/git/gitstore"

// Continue stores an event after history, whose last event it then follows, without
// moving any ref. It is for bringing two histories together; Append is for
// everything else.
func Continue(r *gitstore.Repo, history []Event, e Event) (Event, error) {
	return write(r, e, history)
}
