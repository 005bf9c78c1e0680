package runlog

import (
	"fmt"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Origins are the first records of journals, by event. Anyone with permission to push can add any number
// of refs at one journal; its first record names its run, so that the others cost no more than their name.
type Origins struct {
	repo *gitstore.Repo
	of   map[tree.Hash]run.Record
}

// NewOrigins returns the first records of a repository's journals.
func NewOrigins(repo *gitstore.Repo) Origins { return Origins{repo, map[tree.Hash]run.Record{}} }

// Other returns an error if the journal that begins at first is that of another run than id. Records
// before version 4 do not say, and what cannot be read is for the readers of the journal.
func (o Origins) Other(first tree.Hash, id string) (other error) {
	if first.IsZero() {
		return nil
	}
	r, known := o.of[first]
	if !known {
		e, err := journal.First(o.repo, first, func(path string, size int64) bool { return path == recordFile && size <= run.MaxRecord })
		if err == nil {
			r, _ = recordOf(e)
		}
		o.of[first] = r
	}
	if !r.Names(id) {
		//defence:journals-of-runs-name-their-run
		other = fmt.Errorf("its journal is that of run %.80q: %w", r.Start.Run, run.ErrRecord)
	}
	return other
}
