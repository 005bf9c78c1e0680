package hosted

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/hub"
	"github.com/assent-dev/assent/engine/git/remote"
)

// tender synchronizes record and service.
type tender struct {
	*shared
	page    *page
	changes *changes
	witness *witness
}

// Tend implements forge.Forge: the service follows the record, and acts of people there are
// recorded. It can be interrupted anywhere. The error names the pull requests that failed.
func (t *tender) Tend(ctx context.Context) error {
	if t.host == nil {
		return ErrNoToken
	}
	t.witness.asked = 0
	if err := t.hub.Sync(ctx, ""); err != nil {
		return err
	}
	requests, err := t.host.List(ctx, forge.BranchPrefix, true)
	if err != nil {
		return fmt.Errorf("list the pull requests of the service: %w", err)
	}
	pulls, damaged := t.record().List(ctx, forge.Filter{State: forge.Open})
	problems := []error{damaged}
	shown, from := map[string]bool{}, byBranch(requests)
	for _, r := range requests {
		id := strings.TrimPrefix(r.Branch, forge.BranchPrefix)
		shown[id] = true
		p, err := t.record().Get(ctx, id)
		stands, _ := host.Standing(from[r.Branch], p.Base)
		switch {
		case err != nil: // not a proposal's
		case p.State == forge.Open && r.Number != stands.Number && r.Base == p.Base: // engines opened several at the same moment; the newest counts
			problems = append(problems, t.host.SetOpen(ctx, r.Number, false))
		case p.State == forge.Open && r.Number != stands.Number: // a stranger's, into another branch
		case p.State == forge.Open && t.page.foreign(ctx, p, r):
			problems = append(problems, t.page.show(ctx, id))
		case p.State == forge.Open && r.Base != p.Base:
			problems = append(problems, &forge.Astray{ID: id, Why: fmt.Sprintf("(#%d) is shown for the branch %s instead of %s: no approval there counts until that is set back on its page", r.Number, r.Base, p.Base)})
		case p.State == forge.Open:
			problems = append(problems, t.page.showOpen(ctx, p, r))
		default:
			problems = append(problems, t.page.show(ctx, id))
		}
	}
	for _, p := range pulls {
		if shown[p.ID] {
			continue
		}
		err := t.changes.heed(ctx, p.ID)
		if err == nil {
			err = t.page.show(ctx, p.ID)
		}
		// A merge made on the service is listed until it is attested or reverted.
		if err != nil && !errors.Is(err, forge.ErrClosed) && !errors.Is(err, ErrMergedThere) {
			problems = append(problems, fmt.Errorf("%s: %w", p.ID, err))
		}
	}
	return errors.Join(append(problems, t.tidy(ctx, shown))...)
}

// tidy completes interrupted endings: pull requests whose branch still exists on the
// remote although the service does not show them as open.
func (t *tender) tidy(ctx context.Context, shown map[string]bool) error {
	prefix := remote.Tracking(t.hub.Remote(), hub.Branches)
	left, err := t.repo.Refs(prefix)
	problems := []error{err}
	for _, ref := range left {
		id := strings.TrimPrefix(ref.Name, prefix)
		if p, err := t.record().Get(ctx, id); err == nil && p.State != forge.Open && !shown[id] {
			problems = append(problems, t.page.show(ctx, id))
		}
	}
	return errors.Join(problems...)
}
