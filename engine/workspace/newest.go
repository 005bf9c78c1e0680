package workspace

import (
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// newestOnMain returns the newest date of the commits on main from a commit down to the newest merge
// in force; see policy.Facts. It walks only if an entry of roles.yaml expires.
func newestOnMain(s Session, from tree.Hash) (newest time.Time, err error) {
	expires := false
	for _, id := range s.Policies.Roles.All() {
		expires = expires || !id.Until.IsZero()
	}
	if !expires || from.IsZero() || from == s.Judged {
		return newest, nil
	}
	upon, err := s.judgedUpon(s.Standing)
	if err != nil {
		return newest, err
	}
	err = s.Repo.Lineage(from, func(c gitstore.Commit) (bool, error) {
		if c.Hash == upon.Hash {
			return false, nil
		}
		if c.Committer.When.After(newest) {
			newest = c.Committer.When
		}
		return c.Hash != s.Genesis, nil
	})
	if unreadable(err) { // what is below a malformed commit has no known date
		err = nil
	}
	return newest, err
}
