package workspace

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/stop"
)

// Halted means that a capability cannot be handed out: a human stopped it.
type Halted struct {
	Name string // as spelled in the tree in force
	stop.Held
}

// Error says who stopped it, until when and why.
func (h *Halted) Error() string { return h.Refusal(h.Name) }

// Handout returns a tree without the capabilities that are stopped now. Every file in force that
// goes to an agent, a script or the disk is read through it. Listing leaves the folders out;
// reading one is a *Halted. A folder that differs from the one in force stays: a proposal that
// repairs the capability must be testable.
func (s Session) Handout(ctx context.Context, view tree.View) (tree.View, error) {
	j, err := s.Stops(ctx)
	if err != nil {
		return nil, err
	}
	out := handout{View: view, halted: map[string]*Halted{}}
	for _, held := range j.Held {
		folders, err := s.View.Named(held.Capability)
		if err != nil {
			return nil, err
		}
		for _, f := range folders {
			inForce, err := s.View.Lookup(f.Path)
			if err != nil {
				return nil, err
			}
			given, err := view.Lookup(f.Path)
			if errors.Is(err, fs.ErrNotExist) || err == nil && given.Hash != inForce.Hash {
				continue
			}
			if err != nil {
				return nil, err
			}
			//defence:stopped-is-not-handed-out
			out.halted[f.Path] = &Halted{f.Name, held}
		}
	}
	return out, nil
}

// handout is a view without some folders.
type handout struct {
	tree.View
	halted map[string]*Halted
}

// check refuses a path that is a stopped folder or inside one.
func (h handout) check(path string) error {
	for dir, halted := range h.halted {
		if path == dir || strings.HasPrefix(path, dir+"/") {
			return halted
		}
	}
	return nil
}

// Lookup implements tree.View. A folder above a stopped one has no hash: no stored tree
// is like it.
func (h handout) Lookup(path string) (tree.Entry, error) {
	if err := h.check(path); err != nil {
		return tree.Entry{}, err
	}
	e, err := h.View.Lookup(path)
	for dir := range h.halted {
		if path == "" || strings.HasPrefix(dir, path+"/") {
			e.Hash = tree.Hash{}
		}
	}
	return e, err //nolint:wrapcheck // it is the view's own
}

// List implements tree.View.
func (h handout) List(dir string) ([]tree.Entry, error) {
	if err := h.check(dir); err != nil {
		return nil, err
	}
	out, err := h.View.List(dir)
	return slices.DeleteFunc(slices.Clone(out), func(e tree.Entry) bool { return h.check(e.Path) != nil }), err //nolint:wrapcheck // likewise
}

// Read implements tree.View.
func (h handout) Read(path string) ([]byte, error) {
	if err := h.check(path); err != nil {
		return nil, err
	}
	return h.View.Read(path) //nolint:wrapcheck // likewise
}
