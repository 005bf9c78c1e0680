package hosted

import (
	"context"
	"errors"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/hub"
	"github.com/assent-dev/assent/engine/forge/local"
)

// Open implements forge.Forge: the record and the branch appear on the remote at
// once, then the service shows a pull request for them.
func (f *Forge) Open(ctx context.Context, req forge.Opening) (forge.Pull, error) {
	if f.host == nil {
		return forge.Pull{}, ErrNoToken
	}
	me, err := f.host.Login(ctx)
	if err != nil {
		return forge.Pull{}, err
	}
	if req.Author.Login == "" {
		req.Author.Login = me
	}
	err = f.change(ctx, req.ID, func(l *local.Forge) error { _, err := l.Open(ctx, req); return err })
	return f.after(ctx, req.ID, err)
}

// Push implements forge.Forge.
func (f *Forge) Push(ctx context.Context, id string, push forge.Push) (forge.Pull, error) {
	err := f.change(ctx, id, func(l *local.Forge) error { _, err := l.Push(ctx, id, push); return err })
	return f.after(ctx, id, err)
}

// after shows what was done and returns the pull request.
func (f *Forge) after(ctx context.Context, id string, err error) (forge.Pull, error) {
	if err == nil {
		err = f.show(ctx, id)
	}
	if err != nil {
		return forge.Pull{}, err
	}
	return f.Get(ctx, id)
}

// Comment implements forge.Forge: the record keeps the remark byte for byte, and the
// service shows it.
func (f *Forge) Comment(ctx context.Context, id string, c forge.Comment) error {
	if err := f.noted(ctx, id, func(l *local.Forge) error { return l.Comment(ctx, id, c) }); err != nil {
		return err
	}
	return f.showComment(ctx, id, c)
}

// request is the pull request as the service shows it; it is made to show it first.
func (f *Forge) request(ctx context.Context, id string) (host.Request, error) {
	if f.host == nil {
		return host.Request{}, ErrNoToken
	}
	p, err := f.record().Get(ctx, id)
	if err != nil {
		return host.Request{}, err
	}
	r, err := f.host.Find(ctx, p.Branch, p.Base)
	if errors.Is(err, host.ErrNoRequest) {
		if err := f.show(ctx, id); err != nil {
			return r, err
		}
		return f.host.Find(ctx, p.Branch, p.Base)
	}
	return r, err
}

// Review implements forge.Forge. A signed decision goes into the record and is shown
// on the service; an unsigned one is the decision of the token's account there.
func (f *Forge) Review(ctx context.Context, id string, r forge.Review) error {
	if err := r.Check(); err != nil {
		return err
	}
	if len(r.Record) > 0 {
		err := f.change(ctx, id, func(l *local.Forge) error { return l.Review(ctx, id, r) })
		if err != nil {
			return err
		}
		return f.showReview(ctx, id, r)
	}
	p, err := f.record().Get(ctx, id)
	if err != nil {
		return err
	}
	switch {
	case p.State == forge.Merged:
		return forge.ErrMerged
	case p.State == forge.Closed:
		return forge.ErrClosed
	case p.Head != r.Head:
		return &forge.ErrStale{Ref: hub.Branches + id, Want: r.Head, Got: p.Head}
	}
	shown, err := f.request(ctx, id)
	if err != nil {
		return err
	}
	return f.host.Review(ctx, shown.Number, said(r))
}

// said is a decision in the words of a service.
func said(r forge.Review) host.Review {
	out := host.Review{Decision: r.Decision, Body: r.Reason, Head: r.Head, At: r.At}
	if r.Decision == "reject" {
		out.Decision, out.Body = "request-changes", rejectWord+" "+r.Reason
	}
	return out
}

// Status implements forge.Forge: the report goes into the record, its outcome onto
// the commit, and what people read into one comment that is kept up to date.
func (f *Forge) Status(ctx context.Context, id string, s forge.Status) error {
	if err := f.noted(ctx, id, func(l *local.Forge) error { return l.Status(ctx, id, s) }); err != nil {
		return err
	}
	return f.showStatus(ctx, id, s)
}

// Advise implements forge.Forge. The service shows what follows from it with the next
// report.
func (f *Forge) Advise(ctx context.Context, id string, a forge.Advice) error {
	return f.change(ctx, id, func(l *local.Forge) error { return l.Advise(ctx, id, a) })
}

// Prove implements forge.Forge. The service shows what follows from it with the next
// report.
func (f *Forge) Prove(ctx context.Context, id string, p forge.Proof) error {
	return f.change(ctx, id, func(l *local.Forge) error { return l.Prove(ctx, id, p) })
}

// Merge implements forge.Forge: main, the record of the merge and its evidence move on
// the remote by compare-and-swap, to the commit that was judged. The service is told.
// Where the service made the commit, the record of it moves alone.
func (f *Forge) Merge(ctx context.Context, id string, m forge.Merge) (tree.Hash, error) {
	var commit tree.Hash
	change, upToDate := f.change, func() error { return f.hub.UpToDate(ctx, m.Base) }
	if !m.Made.IsZero() {
		change, upToDate = f.noted, func() error { return f.seenThere(ctx, id) }
	}
	if err := m.Check(); err == nil && f.host != nil {
		if err := upToDate(); err != nil {
			return commit, err
		}
		if err := f.heard(ctx, id); err != nil {
			return commit, err
		}
	}
	err := change(ctx, id, func(l *local.Forge) (err error) {
		commit, err = l.Merge(ctx, id, m)
		return err
	})
	if err == nil {
		err = f.show(ctx, id)
	}
	return commit, err
}

// Close implements forge.Forge.
func (f *Forge) Close(ctx context.Context, id string, c forge.Closing) error {
	if f.host == nil {
		return ErrNoToken
	}
	if err := f.heed(ctx, id); err != nil && !errors.Is(err, ErrMergedThere) {
		return err
	}
	if err := f.offered(ctx, id, func(l *local.Forge) error { return l.Close(ctx, id, c) }); err != nil {
		return err
	}
	return f.show(ctx, id)
}

// Reopen implements forge.Forge.
func (f *Forge) Reopen(ctx context.Context, id string, by forge.Actor, at time.Time) (forge.Pull, error) {
	err := f.change(ctx, id, func(l *local.Forge) error { _, err := l.Reopen(ctx, id, by, at); return err })
	return f.after(ctx, id, err)
}
