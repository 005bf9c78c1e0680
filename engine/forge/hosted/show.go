package hosted

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/host"
)

// show makes the service show a pull request as the record has it. It can be cut
// anywhere and called again; what is shown already is not written.
func (f *Forge) show(ctx context.Context, id string) error {
	p, err := f.record().Get(ctx, id)
	if err != nil {
		return err
	}
	r, err := f.host.Find(ctx, p.Branch, p.Base)
	missing := errors.Is(err, host.ErrNoRequest) || err == nil && f.foreign(ctx, p, r)
	if err == nil && !missing && p.State == forge.Open && !r.Open {
		p, err = f.anew(ctx, id)
	}
	if err != nil && !missing {
		return shownLate(id, err)
	} else if missing || p.State == forge.Open && r.Merged {
		if p.State != forge.Open {
			return f.hub.Drop(ctx, "refs/heads/"+p.Branch, p.Head) // it never was shown, and there is nothing left to decide
		}
		if r, err = f.host.Create(ctx, host.New{Branch: p.Branch, Base: p.Base, Title: p.Title, Body: bodyOf(p)}); err != nil {
			return shownLate(id, err)
		}
	}
	switch p.State {
	case forge.Open:
		err = f.showOpen(ctx, p, r)
	case forge.Merged:
		if !r.Merged {
			err = f.host.MarkMerged(ctx, r.Number, p.Merge)
		}
	case forge.Closed:
		if r.Open {
			err = f.host.SetOpen(ctx, r.Number, false)
		}
	}
	if err == nil && p.State != forge.Open {
		err = f.hub.Drop(ctx, "refs/heads/"+p.Branch, p.Head)
	}
	return shownLate(id, err)
}

// foreign tells a pull request that is none of an engine's, into another branch: anybody
// who may read can open one from a proposal's branch. One of our own that somebody set
// another base for is told by Tend.
func (f *Forge) foreign(ctx context.Context, p forge.Pull, r host.Request) bool {
	me, err := f.host.Login(ctx)
	return err == nil && r.Base != p.Base && !strings.EqualFold(r.Author, me)
}

// showOpen opens a pull request again and brings its text up to date.
func (f *Forge) showOpen(ctx context.Context, p forge.Pull, r host.Request) error {
	if !r.Open {
		if err := f.host.SetOpen(ctx, r.Number, true); err != nil {
			return err
		}
	}
	if body := bodyOf(p); !sameText(r.Title, p.Title) || !sameText(r.Body, body) {
		return f.host.Describe(ctx, r.Number, p.Title, body)
	}
	return nil
}

// sameText compares what a service may have stored with other ends of lines.
func sameText(a, b string) bool {
	norm := func(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }
	return norm(a) == norm(b)
}

// shownLate says of a failure that the record has it all the same.
func shownLate(id string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("it is recorded, and the service does not show it yet; the next `assent reconcile` does: %s: %w", id, err)
}

// bodyOf is the text of a pull request on the service.
func bodyOf(p forge.Pull) string {
	return forge.Quoted(p.Body) + "\nProposal `" + p.ID + "`. It is judged and merged by assent: approve or request changes here, or with `assent review " + p.ID + "`."
}

// showReview shows a signed decision as one of the token's account, which a service
// may not allow (of one's own proposal, for example): then it stands in the record only.
func (f *Forge) showReview(ctx context.Context, id string, r forge.Review) error {
	shown, err := f.request(ctx, id)
	if err != nil {
		return shownLate(id, err)
	}
	out := said(r)
	out.Body = signedMark + "\n" + out.Body // first, where nothing is cut off
	var denied *host.Denied
	if err := f.host.Review(ctx, shown.Number, out); err != nil && !errors.As(err, &denied) {
		return shownLate(id, err)
	}
	return nil
}

// showStatus shows the outcome of validation.
func (f *Forge) showStatus(ctx context.Context, id string, s forge.Status) error {
	shown, err := f.request(ctx, id)
	if err != nil {
		return shownLate(id, err)
	}
	check := host.Check{Head: s.Head, State: "success", Summary: s.Summary, Text: s.Display.Markdown, URL: shown.URL}
	if !s.Passed {
		check.State = "failure"
	}
	for _, n := range s.Display.Notes {
		check.Notes = append(check.Notes, host.Note(n))
	}
	if err := f.host.Check(ctx, check); err != nil {
		return shownLate(id, err)
	}
	if s.Display.Markdown != "" {
		if err := f.host.Comment(ctx, shown.Number, reportKey, s.Display.Markdown); err != nil {
			return shownLate(id, err)
		}
	}
	if err := f.host.Label(ctx, shown.Number, s.Display.Labels); err != nil {
		return shownLate(id, err)
	}
	return shownLate(id, f.host.AskReviewers(ctx, shown.Number, s.Display.Reviewers))
}

// Show implements forge.Forge.
func (f *Forge) Show(ctx context.Context, id, page string) error {
	if f.host == nil {
		return nil
	}
	shown, err := f.request(ctx, id)
	if err == nil {
		err = f.host.Comment(ctx, shown.Number, reportKey, page)
	}
	return shownLate(id, err)
}

// showComment shows a remark, once: the same one replaces itself.
func (f *Forge) showComment(ctx context.Context, id string, c forge.Comment) error {
	shown, err := f.request(ctx, id)
	if err != nil {
		return shownLate(id, err)
	}
	digest := sha256.Sum256([]byte(c.At.UTC().String() + "\x00" + c.By.String() + "\x00" + c.Body))
	key := mirrorKey + cmp.Or(c.Key, hex.EncodeToString(digest[:8]))
	return shownLate(id, f.host.Comment(ctx, shown.Number, key, "`"+strings.ReplaceAll(c.By.String(), "`", "'")+"` says:\n\n"+forge.Quoted(c.Body)))
}
