package prove

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/registry/index"
)

// Found is the check of a capability that is read instead of called.
const Found = "is found"

// trigger searches for the capability as a user who needs it would.
func (o Options) trigger(c capability.Capability, words string, alone, beside tree.View) (Check, error) {
	if words == "" {
		words = WhenToUse(c)
	}
	out := checked(Found, suite.Skip, "its description does not say yet when to use it")
	if words == "" {
		return out, nil
	}
	place, of, err := Search(&among{View: beside, alone: alone, dir: c.Path}, max(1, o.Workers))
	if err != nil {
		return out, err
	}
	at, err := place(c.Path, words)
	if err != nil {
		return out, err
	}
	out.Verdict, out.Says = suite.Fail, Unfound(words, of)
	if at > 0 {
		out.Verdict, out.Says = suite.Pass, fmt.Sprintf("as number %d of %d for %q", at, of, words)
	}
	return out, nil
}

// Unfound says that a capability is not among the first answers for words.
func Unfound(words string, of int) string {
	return fmt.Sprintf("not among the first %d of %d for %q: say in its description when to use it, in the words of who needs it", asMany, of, words)
}

// Search searches the capabilities of a view, by words alone: place is that of the one in a folder among the first answers,
// from 1, and 0 if it is not among them. of is how many capabilities there are.
func Search(v tree.View, workers int) (place func(path, words string) (int, error), of int, err error) {
	segment, err := index.Build(v, tree.Hash{}, workers)
	if err != nil {
		return nil, 0, fmt.Errorf("index the capabilities: %w", err)
	}
	opened, err := index.OpenSegment(bytes.NewReader(segment), int64(len(segment)))
	if err != nil {
		return nil, 0, fmt.Errorf("index the capabilities: %w", err)
	}
	x, err := index.New(opened)
	if err != nil {
		return nil, 0, fmt.Errorf("index the capabilities: %w", err)
	}
	return func(path, words string) (int, error) {
		matches, err := x.Find(index.Query{Words: words, Limit: asMany})
		if err != nil {
			return 0, fmt.Errorf("look for %s: %w", path, err)
		}
		return 1 + slices.IndexFunc(matches, func(m index.Match) bool { return m.Path == path }), nil
	}, x.Len(), nil
}

// asMany are the answers among which a capability has to be.
const asMany = 10

// WhenToUse are the sentences of the description that say when to use it; empty while
// they are still the template's.
func WhenToUse(c capability.Capability) string {
	if capability.IsTemplateDescription(c.Description) {
		return ""
	}
	var said []string
	for sentence := range strings.SplitSeq(c.Description, ". ") {
		if strings.Contains(strings.ToLower(sentence), "when") || strings.HasPrefix(sentence, "Use ") {
			said = append(said, strings.TrimRight(sentence, "."))
		}
	}
	return strings.Join(said, ". ")
}

// among is a view with one folder more, which is taken from a view that has nothing else.
type among struct {
	tree.View
	alone tree.View
	dir   string
}

func (a *among) within(path string) bool { return path == a.dir || strings.HasPrefix(path, a.dir+"/") }

// Lookup implements tree.View. A folder above has no hash: no stored tree is like it.
func (a *among) Lookup(path string) (tree.Entry, error) {
	if a.within(path) {
		return a.alone.Lookup(path) //nolint:wrapcheck // it is the view's own
	}
	if strings.HasPrefix(a.dir, path+"/") {
		return tree.Entry{Path: path, Mode: tree.Dir, Size: -1}, nil
	}
	return a.View.Lookup(path) //nolint:wrapcheck // likewise
}

// List implements tree.View.
func (a *among) List(dir string) ([]tree.Entry, error) {
	if a.within(dir) {
		return a.alone.List(dir) //nolint:wrapcheck // likewise
	}
	out, err := a.View.List(dir)
	if !strings.HasPrefix(a.dir, dir+"/") {
		return out, err //nolint:wrapcheck // likewise
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err //nolint:wrapcheck // likewise
	}
	more, err := a.alone.List(dir)
	for _, e := range more {
		if !slices.ContainsFunc(out, func(o tree.Entry) bool { return o.Path == e.Path }) {
			out = append(out, e)
		}
	}
	order.Sort(out, func(x, y tree.Entry) int { return tree.Compare(x.Path, x.Mode, y.Path, y.Mode) })
	return out, err //nolint:wrapcheck // likewise
}

// Read implements tree.View.
func (a *among) Read(path string) ([]byte, error) {
	if a.within(path) {
		return a.alone.Read(path) //nolint:wrapcheck // likewise
	}
	return a.View.Read(path) //nolint:wrapcheck // likewise
}
