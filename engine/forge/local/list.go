package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gitstore"
)

// List implements forge.Forge. For those that ended, the last event alone says so:
// listing what is open reads one commit of each pull request that is not.
func (f *Forge) List(ctx context.Context, filter forge.Filter) ([]forge.Pull, error) {
	refs, err := f.repo.Refs(PullPrefix)
	problems := []error{}
	if err != nil {
		problems = append(problems, fmt.Errorf("list pull requests: %w", err))
	}
	var out []forge.Pull
	for _, ref := range refs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if f.endedOtherwise(ref, filter.State) {
			continue
		}
		id := idOf(ref.Name)
		if !forge.IsID(id) {
			problems = append(problems, &forge.Damaged{ID: id, Where: ref.Name, Err: errors.New("this is not the id of a proposal")})
			continue
		}
		p, err := f.Get(ctx, id)
		if errors.Is(err, forge.ErrNotFound) {
			continue // gone since it was listed
		}
		if err != nil {
			problems = append(problems, err)
			continue
		}
		if (filter.State == "" || p.State == filter.State) && (filter.Author == "" || p.Author.String() == filter.Author) {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b forge.Pull) int {
		return cmp.Or(b.Opened.Compare(a.Opened), cmp.Compare(a.ID, b.ID))
	})
	return out, errors.Join(problems...)
}

// endedOtherwise reports that the last event of a journal says that the pull
// request ended, and not as wanted. An event that does not say, or that cannot be
// read, leaves the answer to a full reading.
func (f *Forge) endedOtherwise(ref gitstore.Ref, wanted forge.State) bool {
	if wanted == "" {
		return false
	}
	c, err := f.repo.Commit(ref.Hash)
	if err != nil {
		return false
	}
	said := forge.State(c.Trailer(stateField))
	return (said == forge.Merged || said == forge.Closed) && said != wanted
}
