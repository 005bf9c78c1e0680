package hosted

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/host"
)

// Refresh implements forge.Forge.
func (f *Forge) Refresh(ctx context.Context) error { return f.hub.Sync(ctx, "") }

// Get implements forge.Forge: the record, with the number and the labels that the
// service shows.
func (f *Forge) Get(ctx context.Context, id string) (forge.Pull, error) {
	p, err := f.record().Get(ctx, id)
	if err != nil {
		return p, err
	}
	return f.shown(ctx, p)
}

// shown is a pull request of the record with what the service knows.
func (f *Forge) shown(ctx context.Context, p forge.Pull) (forge.Pull, error) {
	if !f.asking() {
		return p, nil
	}
	ctx = f.brief(ctx)
	r, err := f.host.Find(ctx, p.Branch, p.Base)
	if errors.Is(err, host.ErrNoRequest) || f.goOn(ctx, err) {
		return p, nil
	}
	if err != nil {
		return p, fmt.Errorf("look up the pull request of %s: %w", p.ID, err)
	}
	return f.closedBy(ctx, shownAs(p, r), r)
}

// closedBy is a pull request as the next change records it (see heed): one that somebody
// closed on the service, or whose branch they deleted, is withdrawn.
func (f *Forge) closedBy(ctx context.Context, p forge.Pull, r host.Request) (forge.Pull, error) {
	if p.State != forge.Open || r.Open || r.Merged || since(p, r) {
		return p, nil
	}
	now, err := f.anew(ctx, p.ID)
	if err != nil || now.State != forge.Open || since(now, r) {
		return shownAs(now, r), err
	}
	p.State, p.Why = forge.Closed, withdrawn
	return p, nil
}

// withdrawn is why a pull request counts as closed that was closed on the service.
const withdrawn = "withdrawn"

// since says that a pull request was opened, or opened again, after the service last
// changed what it shows.
func since(p forge.Pull, r host.Request) bool {
	return p.Reopened.After(r.Updated) || p.Opened.After(r.Updated)
}

// shownAs adds what the service knows.
func shownAs(p forge.Pull, r host.Request) forge.Pull {
	p.Number, p.URL = r.Number, r.URL
	if r.Merged && p.State == forge.Open {
		p.There = r.Merge
	}
	for _, l := range r.Labels {
		if !strings.HasPrefix(l, host.LabelPrefix) { // ours say what the record says
			p.Labels = append(p.Labels, l)
		}
	}
	return p
}

// List implements forge.Forge. It asks the service once for all of them.
func (f *Forge) List(ctx context.Context, filter forge.Filter) ([]forge.Pull, error) {
	pulls, damaged := f.record().List(ctx, filter)
	if !f.asking() || len(pulls) == 0 {
		return pulls, damaged
	}
	ctx = f.brief(ctx)
	requests, err := f.host.List(ctx, forge.BranchPrefix, filter.State == forge.Open)
	if f.goOn(ctx, err) {
		return pulls, damaged
	}
	if err != nil {
		return nil, fmt.Errorf("list the pull requests of the service: %w", err)
	}
	from := byBranch(requests)
	for i, p := range pulls {
		r, ok := host.Standing(from[p.Branch], p.Base)
		if !ok && p.State == forge.Open { // the service shows it as ended, or not at all
			pulls[i], err = f.shown(ctx, p)
		} else if ok {
			pulls[i], err = f.closedBy(ctx, shownAs(p, r), r)
		}
		if err != nil && !f.goOn(ctx, err) {
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

// Activity implements forge.Forge: the record, and what people did on the service.
// Reviews count by their signature or by the account that the service vouches for;
// what a journal says of an unsigned one counts for nothing.
func (f *Forge) Activity(ctx context.Context, id string) (forge.Activity, error) {
	a, err := f.record().Activity(ctx, id)
	if err != nil {
		return a, err
	}
	a.Reviews = slices.DeleteFunc(a.Reviews, func(r forge.Review) bool { return len(r.Record) == 0 })
	if !f.asking() {
		return a, nil
	}
	there, err := f.there(f.brief(ctx), id, a)
	if f.goOn(ctx, err) {
		return a, nil
	}
	if err != nil {
		return a, fmt.Errorf("read the pull request of %s: %w", id, err)
	}
	return there, nil
}

// there adds what people did on the service.
func (f *Forge) there(ctx context.Context, id string, a forge.Activity) (forge.Activity, error) {
	a.Service = f.host.Name()
	a.Reviews, a.Comments, a.Pushes = slices.Clone(a.Reviews), slices.Clone(a.Comments), slices.Clone(a.Pushes)
	p, _ := f.record().Get(ctx, id)
	r, err := f.host.Find(ctx, p.Branch, p.Base)
	switch {
	case errors.Is(err, host.ErrNoRequest):
		err = nil
	case err != nil:
	case r.Base == p.Base:
		err = f.talk(ctx, r.Number, &a)
	default:
		err = f.objections(ctx, r.Number, &a)
	}
	if err == nil && forge.ReadsClosely(ctx) {
		err = f.elsewhere(ctx, p, r.Number, &a)
	}
	if err == nil {
		err = f.pushers(ctx, id, &a)
	}
	slices.SortStableFunc(a.Reviews, func(x, y forge.Review) int { return x.At.Compare(y.At) })
	return a, err
}

// talk adds reviews and comments.
func (f *Forge) talk(ctx context.Context, number int, a *forge.Activity) error {
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
		// What an engine wrote shows what the record has; one of another account is known
		// by the mark. Who imitates it hides a remark of their own, which decides nothing.
		if c.Key == reportKey || strings.HasPrefix(c.Key, mirrorKey) || strings.HasPrefix(c.Body, host.CommentMark) {
			continue
		}
		a.Comments = append(a.Comments, forge.Comment{By: forge.Actor{Login: c.Login}, Key: c.Key, Body: c.Body, At: c.At})
	}
	slices.SortStableFunc(a.Comments, func(x, y forge.Comment) int { return x.At.Compare(y.At) })
	return nil
}

// reviews adds what was decided on a pull request.
func (f *Forge) reviews(ctx context.Context, number int, a *forge.Activity) error {
	reviews, err := f.host.Reviews(ctx, number)
	if err != nil {
		return err
	}
	for _, r := range reviews {
		decision, reason := spoken(r)
		// What shows a signed decision counts by its signature. An objection without one
		// counts, whatever somebody wrote into it.
		if strings.Contains(r.Body, signedMark) && (decision == "approve" || slices.ContainsFunc(a.Reviews, func(signed forge.Review) bool {
			return len(signed.Record) > 0 && signed.Decision == decision && signed.Head == r.Head
		})) {
			continue
		}
		if r.Decision == "revoke" { // of what this account decided there; a signature is taken back by one
			a.Reviews = slices.DeleteFunc(a.Reviews, func(old forge.Review) bool {
				return len(old.Record) == 0 && strings.EqualFold(old.By.Login, r.Login) && !old.At.After(r.At)
			})
			continue
		}
		a.Reviews = append(a.Reviews, forge.Review{By: forge.Actor{Login: r.Login}, Decision: decision, Reason: reason, Head: r.Head, At: r.At})
	}
	return nil
}

// pushers names those whom the service saw moving the branch. What the account behind
// the token pushed for somebody stands in the record; whatever else is there, whoever
// pushed it is behind the content, also where the record names somebody else for it.
func (f *Forge) pushers(ctx context.Context, id string, a *forge.Activity) error {
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
		who, known := forge.Actor{Login: p.Login}, false // nobody, where the service shows nobody
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

// The words with which a review says what the service has no button for.
const (
	rejectWord = "/assent reject"
	signedMark = "<!-- assent:signed -->"
	reportKey  = "assent-report"
	mirrorKey  = "mirror-"
)

// spoken is what a review decides: requested changes that begin with the word reject
// it for good.
func spoken(r host.Review) (decision, reason string) {
	body := strings.TrimSpace(strings.TrimPrefix(r.Body, signedMark))
	if rest, ok := strings.CutPrefix(body, rejectWord); ok && r.Decision == "request-changes" {
		return "reject", strings.TrimSpace(rest)
	}
	return r.Decision, body
}
