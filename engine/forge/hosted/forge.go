package hosted

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/hub"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// Forge is the forge of one repository that has a remote on a service.
type Forge struct {
	*reader
	*merger
	*witness
	*tender
	shared  *shared
	page    *page
	changes *changes
	options options
}

var _ forge.Forge = (*Forge)(nil)

// shared is the state that all parts of a Forge use.
type shared struct {
	repo *gitstore.Repo
	hub  *hub.Hub
	// host is nil without a login.
	host host.Host
}

// options select how a Forge works.
type options struct {
	// asks makes the service merge; queue lets it wait for its own conditions.
	asks, queue bool
	closely     bool
	glance      *glance // nil except for callers that only display
}

// New returns the forge of repo, whose remote name is a repository of the service h.
// Without a login (nil), the record can be read, and changes are ErrNoToken.
func New(repo *gitstore.Repo, name string, h host.Host, sync hub.Sync) *Forge {
	return assemble(&shared{repo, hub.New(repo, name, sync), h}, options{})
}

func assemble(s *shared, o options) *Forge {
	p := &page{s}
	c := &changes{s, p}
	r := &reader{shared: s, host: s.host, closely: o.closely, glance: o.glance}
	if s.host != nil && o.glance != nil {
		r.host = s.host.Impatient()
	}
	w := &witness{host: s.host, wait: hub.Pause}
	return &Forge{
		reader: r, merger: &merger{s, r, p, c, o.queue}, witness: w, tender: &tender{s, p, c, w},
		shared: s, page: p, changes: c, options: o,
	}
}

// ErrNoToken is the error of a change without a login.
var ErrNoToken = errors.New("no login for the service")

// record returns the forge that keeps the journals in this repository.
func (s *shared) record() *local.Forge { return local.New(s.repo) }

// fresh fetches and returns a pull request of the record. If the service shows it as
// ended, another engine may have ended it unknown to this clone.
func (s *shared) fresh(ctx context.Context, id string) (forge.Pull, error) {
	if err := s.hub.Sync(ctx, ""); err != nil {
		return forge.Pull{}, err
	}
	return s.record().Get(ctx, id)
}

// Traits implements forge.Forge.
func (f *Forge) Traits() forge.Traits {
	return forge.Traits{
		Remote: f.shared.hub.Remote(), Agreed: true, ReadOnly: f.shared.host == nil,
		ServiceMerges: f.options.asks, Queues: f.options.queue, SeesPushers: true,
	}
}

// Asking returns a forge whose service makes the merges, at once or in a queue.
func (f *Forge) Asking(queue bool) *Forge {
	o := f.options
	o.asks, o.queue = true, queue
	return assemble(f.shared, o)
}

// Closely implements forge.Forge.
func (f *Forge) Closely() forge.Forge {
	o := f.options
	o.closely = true
	return assemble(f.shared, o)
}

// Glancing implements forge.Forge.
func (f *Forge) Glancing(say func(error)) forge.Forge {
	o := f.options
	o.glance = &glance{say: say}
	return assemble(f.shared, o)
}

// Agree runs an operation on this repository whose updates are offered to the remote
// first, and repeats it on the remote's state after a lost race. It serves records beside
// pull requests; id is the proposal that it concerns, "" for none.
func (f *Forge) Agree(ctx context.Context, id string, operation func(*gitstore.Repo) error) error {
	if f.shared.host == nil {
		return ErrNoToken
	}
	return f.shared.hub.Agree(ctx, id, operation)
}

// Open implements forge.Forge: the record and the branch appear on the remote together, and
// then the service shows a pull request for them.
func (f *Forge) Open(ctx context.Context, req forge.Opening) (forge.Pull, error) {
	if f.shared.host == nil {
		return forge.Pull{}, ErrNoToken
	}
	me, err := f.shared.host.Login(ctx)
	if err != nil {
		return forge.Pull{}, err
	}
	if req.Author.Login == "" {
		req.Author.Login = me
	}
	err = f.changes.make(ctx, req.ID, func(l *local.Forge) error { _, err := l.Open(ctx, req); return err })
	return f.showAndGet(ctx, req.ID, err)
}

// Push implements forge.Forge.
func (f *Forge) Push(ctx context.Context, id string, push forge.Push) (forge.Pull, error) {
	err := f.changes.make(ctx, id, func(l *local.Forge) error { _, err := l.Push(ctx, id, push); return err })
	return f.showAndGet(ctx, id, err)
}

// Reopen implements forge.Forge.
func (f *Forge) Reopen(ctx context.Context, id string, by forge.Actor, at time.Time) (forge.Pull, error) {
	err := f.changes.make(ctx, id, func(l *local.Forge) error { _, err := l.Reopen(ctx, id, by, at); return err })
	return f.showAndGet(ctx, id, err)
}

// showAndGet shows the result of a change and returns the pull request.
func (f *Forge) showAndGet(ctx context.Context, id string, err error) (forge.Pull, error) {
	if err == nil {
		err = f.page.show(ctx, id)
	}
	if err != nil {
		return forge.Pull{}, err
	}
	return f.Get(ctx, id)
}

// Close implements forge.Forge.
func (f *Forge) Close(ctx context.Context, id string, c forge.Closing) error {
	if err := f.changes.note(ctx, id, func(l *local.Forge) error { return l.Close(ctx, id, c) }); err != nil {
		return err
	}
	return f.page.show(ctx, id)
}

// Comment implements forge.Forge: the record keeps the exact remark, and the service shows
// it.
func (f *Forge) Comment(ctx context.Context, id string, c forge.Comment) error {
	if err := f.changes.note(ctx, id, func(l *local.Forge) error { return l.Comment(ctx, id, c) }); err != nil {
		return err
	}
	return f.page.showComment(ctx, id, c)
}

// Review implements forge.Forge. A signed decision is recorded and shown on the service; an
// unsigned one is the decision of the token's account there.
func (f *Forge) Review(ctx context.Context, id string, r forge.Review) error {
	if err := r.Check(); err != nil {
		return err
	}
	if len(r.Record) > 0 {
		err := f.changes.make(ctx, id, func(l *local.Forge) error { return l.Review(ctx, id, r) })
		if err != nil {
			return err
		}
		return f.page.showReview(ctx, id, r)
	}
	if err := f.shared.mustBeAt(ctx, id, r.Head); err != nil {
		return err
	}
	shown, err := f.page.request(ctx, id)
	if err != nil {
		return err
	}
	return f.shared.host.Review(ctx, shown.Number, hostReview(r))
}

// hostReview translates a decision for a service.
func hostReview(r forge.Review) host.Review {
	out := host.Review{Decision: r.Decision, Body: r.Reason, Head: r.Head, At: r.At}
	if r.Decision == "reject" {
		out.Decision, out.Body = "request-changes", rejectWord+" "+r.Reason
	}
	return out
}

// Status implements forge.Forge: the report is recorded, its outcome appears on the commit,
// and its page in one comment that is kept up to date.
func (f *Forge) Status(ctx context.Context, id string, s forge.Status) error {
	if err := f.changes.note(ctx, id, func(l *local.Forge) error { return l.Status(ctx, id, s) }); err != nil {
		return err
	}
	return f.page.showStatus(ctx, id, s)
}

// Show implements forge.Forge.
func (f *Forge) Show(ctx context.Context, id string, head tree.Hash, d forge.Display) error {
	if f.shared.host == nil {
		return nil
	}
	shown, err := f.page.request(ctx, id)
	if err == nil {
		err = f.page.showChecks(ctx, shown, head, d.Checks)
	}
	if err == nil {
		err = f.shared.host.Comment(ctx, shown.Number, reportKey, d.Markdown)
	}
	return recordedOnly(id, err)
}

// Advise implements forge.Forge. The next report shows the consequences.
func (f *Forge) Advise(ctx context.Context, id string, a forge.Advice) error {
	return f.changes.make(ctx, id, func(l *local.Forge) error { return l.Advise(ctx, id, a) })
}

// Prove implements forge.Forge. The next report shows the consequences.
func (f *Forge) Prove(ctx context.Context, id string, p forge.Proof) error {
	return f.changes.make(ctx, id, func(l *local.Forge) error { return l.Prove(ctx, id, p) })
}

// mustBeAt returns an error unless the pull request is open at head.
func (s *shared) mustBeAt(ctx context.Context, id string, head tree.Hash) error {
	p, err := s.record().Get(ctx, id)
	switch {
	case err != nil:
		return err
	case p.State == forge.Merged:
		return forge.ErrMerged
	case p.State != forge.Open:
		return forge.ErrClosed
	case p.Head != head:
		return &forge.ErrStale{Ref: hub.Branches + id, Want: head, Got: p.Head}
	}
	return nil
}

// recordedOnly wraps an error of showing a change: the change is recorded nevertheless.
func recordedOnly(id string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("it is recorded, but the service does not show it yet; `assent reconcile` will update it: %s: %w", id, err)
}
