package hosted

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/host"
)

// page shows the record on the service.
type page struct {
	*shared
}

// show makes the service show a pull request by its record. It can be interrupted anywhere
// and repeated; it writes only differences.
func (g *page) show(ctx context.Context, id string) error {
	p, err := g.record().Get(ctx, id)
	if err != nil {
		return err
	}
	r, err := g.host.Find(ctx, p.Branch, p.Base)
	missing := errors.Is(err, host.ErrNoRequest) || err == nil && g.foreign(ctx, p, r)
	if err == nil && !missing && p.State == forge.Open && !r.Open {
		p, err = g.fresh(ctx, id)
	}
	if err != nil && !missing {
		return recordedOnly(id, err)
	} else if missing || p.State == forge.Open && r.Merged {
		if p.State != forge.Open {
			return g.hub.Drop(ctx, "refs/heads/"+p.Branch, p.Head) // it ended before it was shown
		}
		if r, err = g.host.Create(ctx, host.New{Branch: p.Branch, Base: p.Base, Title: p.Title, Body: bodyOf(p)}); err != nil {
			return recordedOnly(id, err)
		}
	}
	switch p.State {
	case forge.Open:
		err = g.showOpen(ctx, p, r)
	case forge.Merged:
		if !r.Merged {
			err = g.host.MarkMerged(ctx, r.Number, p.Merge)
		}
	case forge.Closed:
		if r.Open {
			err = g.host.SetOpen(ctx, r.Number, false)
		}
	}
	if err == nil && p.State != forge.Open {
		err = g.hub.Drop(ctx, "refs/heads/"+p.Branch, p.Head)
	}
	return recordedOnly(id, err)
}

// foreign reports a pull request of another account into another branch: every reader can
// open one from a proposal's branch. Tend reports our own whose base was changed.
func (g *page) foreign(ctx context.Context, p forge.Pull, r host.Request) bool {
	me, err := g.host.Login(ctx)
	return err == nil && r.Base != p.Base && !strings.EqualFold(r.Author, me)
}

// showOpen reopens a pull request and updates its text.
func (g *page) showOpen(ctx context.Context, p forge.Pull, r host.Request) error {
	if !r.Open {
		if err := g.host.SetOpen(ctx, r.Number, true); err != nil {
			return err
		}
	}
	if body := bodyOf(p); !sameText(r.Title, p.Title) || !sameText(r.Body, body) {
		return g.host.Describe(ctx, r.Number, p.Title, body)
	}
	return nil
}

// sameText compares texts and ignores line ends, which services change.
func sameText(a, b string) bool {
	norm := func(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }
	return norm(a) == norm(b)
}

// bodyOf returns the text of a pull request on the service.
func bodyOf(p forge.Pull) string {
	return forge.Quoted(p.Body) + "\nProposal `" + p.ID + "`. It is judged and merged by assent: approve or request changes here, or with `assent review " + names.ShellWord(p.ID) + "`."
}

// showReview shows a signed decision as a review by the token's account. A service may
// refuse it, for example on one's own proposal; then only the record has it.
func (g *page) showReview(ctx context.Context, id string, r forge.Review) error {
	shown, err := g.request(ctx, id)
	if err != nil {
		return recordedOnly(id, err)
	}
	out := hostReview(r)
	out.Body = signedMark + "\n" + out.Body // first: the end may be cut off
	var denied *host.Denied
	if err := g.host.Review(ctx, shown.Number, out); err != nil && !errors.As(err, &denied) {
		return recordedOnly(id, err)
	}
	return nil
}

// showStatus shows the outcome of validation.
func (g *page) showStatus(ctx context.Context, id string, s forge.Status) error {
	shown, err := g.request(ctx, id)
	if err != nil {
		return recordedOnly(id, err)
	}
	check := host.Check{Head: s.Head, State: "success", Summary: s.Summary, Text: s.Display.Markdown, URL: shown.URL}
	if !s.Passed {
		check.State = "failure"
	}
	check.Notes = append(check.Notes, s.Display.Notes...)
	if err := g.host.Check(ctx, check); err != nil {
		return recordedOnly(id, err)
	}
	if err := g.showChecks(ctx, shown, s.Head, s.Display.Checks); err != nil {
		return recordedOnly(id, err)
	}
	if s.Display.Markdown != "" {
		if err := g.host.Comment(ctx, shown.Number, reportKey, s.Display.Markdown); err != nil {
			return recordedOnly(id, err)
		}
	}
	if err := g.host.Label(ctx, shown.Number, s.Display.Labels); err != nil {
		return recordedOnly(id, err)
	}
	return recordedOnly(id, g.host.AskReviewers(ctx, shown.Number, s.Display.Reviewers))
}

// showChecks shows each required check as a status of its own.
func (g *page) showChecks(ctx context.Context, shown host.Request, head tree.Hash, checks []host.Check) error {
	for _, c := range checks {
		c.Head, c.URL = head, shown.URL
		if err := g.host.Check(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// showComment shows a remark once and replaces an equal one.
func (g *page) showComment(ctx context.Context, id string, c forge.Comment) error {
	shown, err := g.request(ctx, id)
	if err != nil {
		return recordedOnly(id, err)
	}
	digest := sha256.Sum256([]byte(c.At.UTC().String() + "\x00" + c.By.String() + "\x00" + c.Body))
	key := mirrorKey + cmp.Or(c.Key, hex.EncodeToString(digest[:8]))
	return recordedOnly(id, g.host.Comment(ctx, shown.Number, key, "`"+strings.ReplaceAll(c.By.String(), "`", "'")+"` says:\n\n"+forge.Quoted(c.Body)))
}

// request returns the pull request on the service, and opens it if it is missing.
func (g *page) request(ctx context.Context, id string) (host.Request, error) {
	if g.host == nil {
		return host.Request{}, ErrNoToken
	}
	p, err := g.record().Get(ctx, id)
	if err != nil {
		return host.Request{}, err
	}
	r, err := g.host.Find(ctx, p.Branch, p.Base)
	if errors.Is(err, host.ErrNoRequest) {
		if err := g.show(ctx, id); err != nil {
			return r, err
		}
		return g.host.Find(ctx, p.Branch, p.Base)
	}
	return r, err
}
