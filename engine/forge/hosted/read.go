package hosted

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/host"
)

// reader reads the record together with the pages of the service.
type reader struct {
	*shared
	host    host.Host // nil without a login
	closely bool
	glance  *glance
}

// glance lets a caller that only displays go on without the service.
type glance struct {
	say  func(error)
	mu   sync.Mutex
	gone bool // the service failed and is not asked again
}

// asks reports whether to ask the service.
func (f *reader) asks() bool {
	if f.host == nil || f.glance == nil {
		return f.host != nil
	}
	f.glance.mu.Lock()
	defer f.glance.mu.Unlock()
	return !f.glance.gone
}

// passOver reports whether a caller goes on after a failure of the service. The first one is
// reported to it.
func (f *reader) passOver(ctx context.Context, err error) bool {
	if err == nil || f.glance == nil || ctx.Err() != nil {
		return false
	}
	f.glance.mu.Lock()
	first := !f.glance.gone
	f.glance.gone = true
	f.glance.mu.Unlock()
	if first {
		f.glance.say(err)
	}
	return true
}

// Refresh implements forge.Forge.
func (f *reader) Refresh(ctx context.Context) error { return f.hub.Sync(ctx, "") }

// Get implements forge.Forge: the record, with number and labels by the service.
func (f *reader) Get(ctx context.Context, id string) (forge.Pull, error) {
	p, err := f.record().Get(ctx, id)
	if err != nil {
		return p, err
	}
	return f.shown(ctx, p)
}

// shown adds the service's facts to a pull request of the record.
func (f *reader) shown(ctx context.Context, p forge.Pull) (forge.Pull, error) {
	if !f.asks() {
		return p, nil
	}
	r, err := f.host.Find(ctx, p.Branch, p.Base)
	if errors.Is(err, host.ErrNoRequest) || f.passOver(ctx, err) {
		return p, nil
	}
	if err != nil {
		return p, fmt.Errorf("look up the pull request of %s: %w", p.ID, err)
	}
	return f.closedBy(ctx, shownAs(p, r), r)
}

// closedBy returns a pull request as the next change records it (see heed). If it was
// closed on the service, or its branch was deleted there, it is withdrawn.
func (f *reader) closedBy(ctx context.Context, p forge.Pull, r host.Request) (forge.Pull, error) {
	if p.State != forge.Open || r.Open || r.Merged || openedSince(p, r) {
		return p, nil
	}
	now, err := f.fresh(ctx, p.ID)
	if err != nil || now.State != forge.Open || openedSince(now, r) {
		return shownAs(now, r), err
	}
	p.State, p.Why = forge.Closed, withdrawn
	return p, nil
}

// withdrawn is the reason given for a pull request that was closed on the service.
const withdrawn = "withdrawn"

// openedSince reports whether a pull request was opened or reopened after its page last
// changed.
func openedSince(p forge.Pull, r host.Request) bool {
	return p.Reopened.After(r.Updated) || p.Opened.After(r.Updated)
}

// shownAs adds the facts of a request.
func shownAs(p forge.Pull, r host.Request) forge.Pull {
	p.Number, p.URL = r.Number, r.URL
	if r.Merged && p.State == forge.Open {
		p.There = r.Merge
	}
	for _, l := range r.Labels {
		if !strings.HasPrefix(l, host.LabelPrefix) { // ours repeat the record
			p.Labels = append(p.Labels, l)
		}
	}
	return p
}

// List implements forge.Forge. One question to the service serves all of them.
func (f *reader) List(ctx context.Context, filter forge.Filter) ([]forge.Pull, error) {
	pulls, damaged := f.record().List(ctx, filter)
	if !f.asks() || len(pulls) == 0 {
		return pulls, damaged
	}
	requests, err := f.host.List(ctx, forge.BranchPrefix, filter.State == forge.Open)
	if f.passOver(ctx, err) {
		return pulls, damaged
	}
	if err != nil {
		return nil, fmt.Errorf("list the pull requests of the service: %w", err)
	}
	from := byBranch(requests)
	for i, p := range pulls {
		r, ok := host.Standing(from[p.Branch], p.Base)
		if !ok && p.State == forge.Open { // ended there, or not shown
			pulls[i], err = f.shown(ctx, p)
		} else if ok {
			pulls[i], err = f.closedBy(ctx, shownAs(p, r), r)
		}
		if err != nil && !f.passOver(ctx, err) {
			return nil, err
		}
	}
	return pulls, damaged
}

func byBranch(requests []host.Request) map[string][]host.Request {
	out := map[string][]host.Request{}
	for _, r := range requests {
		out[r.Branch] = append(out[r.Branch], r)
	}
	return out
}

// Activity implements forge.Forge: the record, and the acts of people on the service.
// Reviews count by their signature or by the account that the service vouches for; an
// unsigned one in a journal counts for nothing.
func (f *reader) Activity(ctx context.Context, id string) (forge.Activity, error) {
	a, err := f.record().Activity(ctx, id)
	if err != nil {
		return a, err
	}
	a.Reviews = signedOnly(a.Reviews)
	if !f.asks() {
		return a, nil
	}
	there, err := f.there(ctx, id, a)
	if f.passOver(ctx, err) {
		return a, nil
	}
	if err != nil {
		return a, fmt.Errorf("read the pull request of %s: %w", id, err)
	}
	return there, nil
}

// there adds the acts of people on the service.
func (f *reader) there(ctx context.Context, id string, a forge.Activity) (forge.Activity, error) {
	a.Service = f.host.Name()
	a.Reviews, a.Comments, a.Pushes = slices.Clone(a.Reviews), slices.Clone(a.Comments), slices.Clone(a.Pushes)
	p, _ := f.record().Get(ctx, id)
	r, err := f.host.Find(ctx, p.Branch, p.Base)
	switch {
	case errors.Is(err, host.ErrNoRequest):
		err = nil
	case err != nil:
	case r.Base == p.Base:
		err = f.conversation(ctx, r.Number, &a)
	default:
		err = f.objections(ctx, r.Number, &a)
	}
	if err == nil && f.closely {
		err = f.elsewhere(ctx, p, r.Number, &a)
	}
	if err == nil {
		err = f.pushers(ctx, id, &a)
	}
	order.Stable(a.Reviews, func(x, y forge.Review) int { return x.At.Compare(y.At) })
	return a, err
}

// conversation adds reviews and comments.
func (f *reader) conversation(ctx context.Context, number int, a *forge.Activity) error {
	if err := f.reviews(ctx, number, a); err != nil {
		return err
	}
	comments, err := f.host.Comments(ctx, number)
	if err != nil {
		return err
	}
	for _, c := range comments {
		if c.Key == reportKey {
			a.Shown = c.Body
		}
		// Comments of engines repeat the record. The mark identifies those of other
		// accounts; a forged mark hides only a remark, which decides nothing.
		if c.Key == reportKey || strings.HasPrefix(c.Key, mirrorKey) || strings.HasPrefix(c.Body, host.CommentMark) {
			continue
		}
		a.Comments = append(a.Comments, forge.Comment{By: forge.Actor{Login: c.Login}, Key: c.Key, Body: c.Body, At: c.At})
	}
	order.Stable(a.Comments, func(x, y forge.Comment) int { return x.At.Compare(y.At) })
	return nil
}

// reviews adds the decisions on a pull request.
func (f *reader) reviews(ctx context.Context, number int, a *forge.Activity) error {
	reviews, err := f.host.Reviews(ctx, number)
	if err != nil {
		return err
	}
	for _, r := range reviews {
		decision, reason := decisionOf(r)
		// The page of a signed decision counts by the signature. An objection without one
		// counts whatever its text claims.
		if strings.Contains(r.Body, signedMark) && (decision == "approve" || slices.ContainsFunc(a.Reviews, func(signed forge.Review) bool {
			return len(signed.Record) > 0 && signed.Decision == decision && signed.Head == r.Head
		})) {
			continue
		}
		if r.Decision == "revoke" { // of this account's decisions there; only a signature revokes a signature
			a.Reviews = slices.DeleteFunc(a.Reviews, func(old forge.Review) bool {
				return len(old.Record) == 0 && strings.EqualFold(old.By.Login, r.Login) && !old.At.After(r.At)
			})
			continue
		}
		a.Reviews = append(a.Reviews, forge.Review{By: forge.Actor{Login: r.Login}, Decision: decision, Reason: reason, Head: r.Head, At: r.At})
	}
	return nil
}

// pushers adds the accounts that moved the branch, as the service reports them. The
// record names the people for whom the token's account pushed. Every other account is
// behind the content, even if the record names another.
func (f *reader) pushers(ctx context.Context, id string, a *forge.Activity) error {
	pushes, err := f.host.Pushes(ctx, forge.BranchPrefix+id)
	if errors.Is(err, host.ErrUnknown) {
		return nil
	}
	if err != nil {
		return err
	}
	me, err := f.host.Login(ctx)
	if err != nil {
		return err
	}
	for _, p := range pushes {
		mine := strings.EqualFold(p.Login, me) && slices.ContainsFunc(a.Pushes, func(r forge.Push) bool { return r.New == p.New && r.By != forge.Actor{} })
		if mine || p.New.IsZero() {
			continue
		}
		who, known := forge.Actor{Login: p.Login}, false // unknown if the service names none
		for i, recorded := range a.Pushes {
			if recorded.New != p.New {
				continue
			}
			if known = strings.EqualFold(recorded.By.Login, p.Login) || p.Login == ""; recorded.By == (forge.Actor{}) && p.Login != "" {
				a.Pushes[i].By, a.Pushes[i].At, known = who, p.At, true
			}
		}
		if !known {
			a.Pushes = append(a.Pushes, forge.Push{By: who, Old: p.Old, New: p.New, At: p.At})
		}
	}
	return nil
}

// Words in a review for decisions that the service has no button for.
const (
	rejectWord = "/assent reject"
	signedMark = "<!-- assent:signed -->"
	reportKey  = "assent-report"
	mirrorKey  = "mirror-"
)

// decisionOf returns the decision of a review. A request for changes that begins with
// rejectWord is a rejection.
func decisionOf(r host.Review) (decision, reason string) {
	body := strings.TrimSpace(strings.TrimPrefix(r.Body, signedMark))
	if rest, ok := strings.CutPrefix(body, rejectWord); ok && r.Decision == "request-changes" {
		return "reject", strings.TrimSpace(rest)
	}
	return r.Decision, body
}

// lookBack is the minimum period that is searched for pull requests: a proposal's opening
// date is only its proposer's claim.
const lookBack = 30 * 24 * time.Hour

// objections adds the objections on a pull request that no longer represents a proposal, or
// has another base: such a change does not withdraw an objection. Its approvals were for
// another difference.
func (f *reader) objections(ctx context.Context, number int, a *forge.Activity) error {
	there := forge.Activity{Reviews: signedOnly(a.Reviews)}
	if err := f.reviews(ctx, number, &there); err != nil {
		return err
	}
	for _, r := range there.Reviews {
		if len(r.Record) == 0 && r.Decision != "approve" {
			a.Reviews = append(a.Reviews, r)
		}
	}
	return nil
}

// elsewhere adds the objections on all pull requests of a proposal except the one that
// represents it.
func (f *reader) elsewhere(ctx context.Context, p forge.Pull, standing int, a *forge.Activity) error {
	since := time.Now().Add(-lookBack)
	if at := p.Opened.Add(-24 * time.Hour); at.Before(since) { // a day, because clocks differ
		since = at
	}
	all, err := f.host.From(ctx, p.Branch, since)
	if err != nil {
		return err
	}
	for _, r := range all {
		if r.Number == standing {
			continue
		}
		if err := f.objections(ctx, r.Number, a); err != nil {
			return err
		}
	}
	return nil
}

// allHeard returns forge.ErrCloser if there is an objection that was not considered when
// the merge was judged.
func (f *reader) allHeard(ctx context.Context, id string) error {
	if f.host == nil || f.closely {
		return nil
	}
	p, err := f.record().Get(ctx, id)
	if err != nil {
		return err
	}
	r, err := f.host.Find(ctx, p.Branch, p.Base)
	if err != nil && !errors.Is(err, host.ErrNoRequest) {
		return err
	}
	a, err := f.record().Activity(ctx, id)
	if err != nil {
		return err
	}
	a.Reviews = signedOnly(a.Reviews)
	known := len(a.Reviews)
	if err := f.elsewhere(ctx, p, r.Number, &a); err != nil {
		return err
	}
	if len(a.Reviews) > known {
		return forge.ErrCloser
	}
	return nil
}

// signedOnly returns the reviews that are signed.
func signedOnly(reviews []forge.Review) []forge.Review {
	return slices.DeleteFunc(slices.Clone(reviews), func(r forge.Review) bool { return len(r.Record) == 0 })
}
