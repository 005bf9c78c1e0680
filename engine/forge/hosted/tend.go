package hosted

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/hub"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/remote"
)

// ErrMergedThere says that somebody merged a pull request on the service itself. What
// that brought is in force for nobody until an engine has attested it.
var ErrMergedThere = errors.New("it was merged on the service itself: `assent merge` with its id attests that where the gate allowed it then; else take the merge back (git revert)")

// Tend implements forge.Forge: what the service shows follows the record, and what
// people did there that the record has to know is recorded. It can be cut anywhere. The
// error names what could not be tended to; the others were.
func (f *Forge) Tend(ctx context.Context) error {
	if f.host == nil {
		return ErrNoToken
	}
	f.asked = 0
	if err := f.Refresh(ctx); err != nil {
		return err
	}
	requests, err := f.host.List(ctx, forge.BranchPrefix, true)
	if err != nil {
		return fmt.Errorf("list the pull requests of the service: %w", err)
	}
	pulls, damaged := f.record().List(ctx, forge.Filter{State: forge.Open})
	problems := []error{damaged}
	shown, from := map[string]bool{}, byBranch(requests)
	for _, r := range requests {
		id := strings.TrimPrefix(r.Branch, forge.BranchPrefix)
		shown[id] = true
		p, err := f.record().Get(ctx, id)
		stands, _ := host.Standing(from[r.Branch], p.Base)
		switch {
		case err != nil: // one that nobody proposed is its author's business
		case p.State == forge.Open && r.Number != stands.Number && r.Base == p.Base: // engines that opened it at the same moment; the newest one counts
			problems = append(problems, f.host.SetOpen(ctx, r.Number, false))
		case p.State == forge.Open && r.Number != stands.Number: // somebody's, into another branch, beside the one that stands
		case p.State == forge.Open && f.foreign(ctx, p, r):
			problems = append(problems, f.show(ctx, id))
		case p.State == forge.Open && r.Base != p.Base:
			problems = append(problems, &forge.Astray{ID: id, Why: fmt.Sprintf("(#%d) is shown for the branch %s instead of %s: no approval there counts until that is set back on its page", r.Number, r.Base, p.Base)})
		case p.State == forge.Open:
			problems = append(problems, f.showOpen(ctx, p, r))
		default:
			problems = append(problems, f.show(ctx, id))
		}
	}
	for _, p := range pulls {
		if shown[p.ID] {
			continue
		}
		err := f.heed(ctx, p.ID)
		if err == nil {
			err = f.show(ctx, p.ID)
		}
		// What was merged there shows in what is in force, until main has it no more.
		if err != nil && !errors.Is(err, forge.ErrClosed) && !errors.Is(err, ErrMergedThere) {
			problems = append(problems, fmt.Errorf("%s: %w", p.ID, err))
		}
	}
	return errors.Join(append(problems, f.tidy(ctx, shown))...)
}

// tidy shows once more what ended and still has a branch there, although the service
// does not show it as open: whoever ended it came no further.
func (f *Forge) tidy(ctx context.Context, shown map[string]bool) error {
	prefix := remote.Tracking(f.hub.Remote(), hub.Branches)
	left, err := f.repo.Refs(prefix)
	problems := []error{err}
	for _, ref := range left {
		id := strings.TrimPrefix(ref.Name, prefix)
		if p, err := f.record().Get(ctx, id); err == nil && p.State != forge.Open && !shown[id] {
			problems = append(problems, f.show(ctx, id))
		}
	}
	return errors.Join(problems...)
}

// heed records that a pull request was closed by hand on the service. One that the
// service still shows closed from before it was reopened here is no such thing.
func (f *Forge) heed(ctx context.Context, id string) error {
	p, err := f.record().Get(ctx, id)
	if errors.Is(err, forge.ErrNotFound) {
		return nil // the operation says so
	}
	if err != nil || p.State != forge.Open {
		return err
	}
	r, err := f.host.Find(ctx, p.Branch, p.Base)
	switch {
	case errors.Is(err, host.ErrNoRequest):
		return nil
	case err != nil:
		return fmt.Errorf("look up the pull request of %s: %w", id, err)
	case r.Open:
		return nil
	}
	if p, err = f.anew(ctx, id); err != nil || p.State != forge.Open {
		return err
	}
	switch {
	case r.Merged:
		return fmt.Errorf("%s (#%d): %w", id, r.Number, ErrMergedThere)
	case since(p, r):
		return nil
	}
	closing := forge.Closing{By: forge.Actor{Name: "assent"}, Why: withdrawn, At: r.Updated,
		Note: "It was closed on the service, or its branch was deleted there. assent reopen " + id + " brings both back."}
	if err := f.offered(ctx, id, func(l *local.Forge) error { return l.Close(ctx, id, closing) }); err != nil {
		return err
	}
	return f.show(ctx, id)
}

// anew is the record with what the remote has by now. What a service shows as ended may
// have been ended by another engine, which told the service, and this clone is behind.
func (f *Forge) anew(ctx context.Context, id string) (forge.Pull, error) {
	if err := f.hub.Sync(ctx, ""); err != nil {
		return forge.Pull{}, err
	}
	return f.record().Get(ctx, id)
}
