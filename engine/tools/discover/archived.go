package discover

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/workspace/archive"
)

// Archived is an archived capability that fits words.
type Archived struct {
	index.Match
	Record archive.Record
	// exceeds is set if no capability in force that can be used fits as well.
	exceeds bool
}

// Archive searches archived capabilities beside those in force, so that their scores compare.
type Archive struct {
	// Unread names archived capabilities that cannot be read, and are not searched.
	Unread []*archive.Unread
	// Some is set if only some of the archived capabilities are searched.
	Some  bool
	here  Here
	view  archive.View
	index *index.Index
}

// Archive opens the archived capabilities. If there are many, it opens those that archive.Fitting finds for a text. It returns nil if nothing was archived.
func (h Here) Archive(ctx context.Context, text string) (*Archive, error) {
	found, unread, some, err := archive.Fitting(ctx, h.Session, text)
	if err != nil || len(found)+len(unread) == 0 {
		return nil, err
	}
	a := &Archive{Unread: unread, Some: some, here: h, view: found}
	now, err := h.Session.Capabilities.Index()
	if err != nil {
		return nil, err
	}
	if a.index, err = now.With(a.view, a.view.Folders()); archive.Damaged(err) {
		a.view, unread = a.view.Readable()
		a.Unread = append(a.Unread, unread...)
		a.index, err = now.With(a.view, a.view.Folders())
	}
	if err != nil {
		return nil, fmt.Errorf("read archived capabilities: %w", err)
	}
	return a, nil
}

// Find returns archived capabilities that fit the request, the best first. Only its words, kind, category,
// tags and agent count.
func (a *Archive) Find(r Request) (out []Archived, err error) {
	if a == nil || len(a.view) == 0 {
		return nil, nil
	}
	r.Mastery, r.Status, r.InUse, r.Current = 0, "", false, false
	q := index.Query{Words: r.Words, Kind: r.Kind, Limit: atMost, Admit: func(e index.Entry) bool {
		ok, _ := a.here.admits(r, e) // it fails only by Mastery
		return ok
	}}
	found, err := a.here.learned.Search(q, a.index.Find, a.named)
	if err != nil {
		return nil, fmt.Errorf("search archived capabilities: %w", err)
	}
	best := 0.0
	for _, m := range found {
		if c := a.view.At(m.Path); c != nil {
			out = append(out, Archived{Match: m, Record: c.Record})
		} else if now, err := a.here.Condition(m.Entry); err == nil && now.Unusable == "" {
			best = max(best, m.Fit())
		}
	}
	for i, m := range out {
		out[i].Share = m.Fit()
		out[i].exceeds = out[i].Share > best
	}
	order.Stable(out, func(x, y Archived) int { return cmp.Compare(y.Share, x.Share) })
	return out, nil
}

// Best returns the archived capability whose name the request says, or else the one that fits it best, if
// its share is at least enough and no capability in force that can be used fits as well; else nil.
func (a *Archive) Best(r Request, enough float64) (*Archived, error) {
	for _, name := range spoken(r.Words) {
		if found, err := a.Named(name, r); found != nil || err != nil {
			return found, err
		}
	}
	found, err := a.Find(r)
	if err != nil || len(found) == 0 || !found[0].exceeds || found[0].Share < enough {
		return nil, err
	}
	return &found[0], nil
}

// spoken lists what in a text can only be a name: all of it, and each word with a hyphen or an underscore.
func spoken(words string) []string {
	fields := strings.Fields(words)
	out := []string{strings.Join(fields, "-")}
	for _, f := range fields {
		if f = strings.Trim(f, "`'\".,:;!?()"); strings.ContainsAny(f, "-_") {
			out = append(out, f)
		}
	}
	return out
}

// Named returns the archived capability with a name; nil if there is none, or if the request leaves it out.
func (a *Archive) Named(name string, r Request) (*Archived, error) {
	if a == nil {
		return nil, nil
	}
	r.Mastery, r.Status, r.InUse = 0, "", false
	for _, c := range a.view {
		if names.Fold(c.Name) != names.Fold(name) {
			continue
		}
		e, err := entryOf(a.view, c.Folder)
		if err != nil {
			return nil, err
		}
		if ok, _ := a.here.admits(r, e); ok { // it fails only by Mastery
			return &Archived{Match: index.Match{Entry: e, Share: 1}, Record: c.Record, exceeds: true}, nil
		}
	}
	return nil, nil
}

// atMost bounds how many answers are compared.
const atMost = 50

// named returns the entries with a name, in force or archived.
func (a *Archive) named(name string) (out []index.Entry, err error) {
	for _, c := range a.view {
		if names.Fold(c.Name) == name {
			e, err := entryOf(a.view, c.Folder)
			return []index.Entry{e}, err
		}
	}
	return a.here.named(name)
}
