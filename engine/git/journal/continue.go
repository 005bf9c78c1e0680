package journal

import "github.com/assent-dev/assent/engine/git/gitstore"

// Continue stores an event after history, without moving a ref. It is for merging two
// histories; Append is for everything else.
func Continue(r *gitstore.Repo, history []Event, e Event) (Event, error) {
	return write(r, e, history)
}
