package discover

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// Request is a search. Empty fields admit everything.
type Request struct {
	Words  string
	Kind   capability.Kind
	Status capability.Status
	// Category and Tags are those of the record; a capability needs all the tags.
	Category string
	Tags     []string
	// Agent leaves out capabilities that the record keeps for other agents; nil leaves out none.
	// An empty one is a client without a name.
	Agent *string
	// Mastery is the minimum that the tests of the version in force reached here.
	Mastery float64
	// InUse leaves out capabilities that are neither active nor deprecated.
	InUse bool
	// Current leaves out retired capabilities, unless Status asks for them.
	Current bool
	Limit   int
	// Explain requests the share of each word.
	Explain bool
}

// Match is one answer.
type Match struct {
	index.Match
	Condition
	// Opinion is that of critics about its version.
	Opinion trial.Opinion
}

// beyond is the number of further answers that are searched for usable ones.
const beyond = 100

// Find returns the best answers, the best first, and after all of those the ones that cannot be
// used now. Problems are errors in reading some answers.
func (h Here) Find(ctx context.Context, r Request) (out []Match, problems []error, err error) {
	q := index.Query{Words: r.Words, Kind: r.Kind, Status: r.Status, Limit: min(r.Limit, math.MaxInt32) + beyond, Explain: r.Explain}
	var failed error
	q.Admit = func(e index.Entry) bool {
		ok, err := h.admits(r, e)
		failed = cmp.Or(failed, err)
		return ok
	}
	found, err := h.Search(q)
	if err = cmp.Or(err, failed); err != nil {
		return nil, nil, err
	}
	problems = h.Problems()
	for _, m := range found {
		condition, err := h.Condition(m.Entry)
		if err != nil {
			problems = append(problems, fmt.Errorf("no health: %w", err))
			condition.Unusable = "its health cannot be read: " + err.Error()
		}
		out = append(out, Match{m, condition, h.critics.of(m.Entry)})
	}
	order.Stable(out, func(a, b Match) int { return cmp.Compare(a.rank(), b.rank()) })
	return out[:min(len(out), max(r.Limit, 0))], problems, ctx.Err()
}

// maxNear bounds the names that Near returns.
const maxNear = 3

// Near returns up to maxNear names that are similar to one of a search's words, or to all of them
// together. It considers only capabilities that the search admits.
func (h Here) Near(r Request) ([]string, error) {
	var failed error
	all, err := h.Session.Capabilities.Entries(func(e index.Entry) bool {
		ok, err := h.admits(r, e)
		failed = cmp.Or(failed, err)
		return ok
	})
	if err = cmp.Or(err, failed); err != nil {
		return nil, err
	}
	known := make([]string, len(all))
	for i, e := range all {
		known[i] = e.Name
	}
	out := []string{}
	words := strings.Fields(r.Words)
	for _, word := range append([]string{strings.Join(words, "-")}, words...) {
		for _, name := range strictyaml.Similar(names.Fold(word), known) {
			if !slices.Contains(out, name) && len(out) < maxNear {
				out = append(out, name)
			}
		}
	}
	return out, nil
}

// admits reports whether e may be an answer.
func (h Here) admits(r Request, e index.Entry) (bool, error) {
	switch {
	case r.InUse && !e.Status.Runs(),
		r.Current && r.Status == "" && e.Status == capability.Retired,
		r.Kind != "" && e.Kind != r.Kind,
		r.Status != "" && e.Status != r.Status,
		r.Category != "" && !strings.EqualFold(e.Category, r.Category),
		r.Agent != nil && !e.Agents.Admits(*r.Agent),
		slices.ContainsFunc(r.Tags, func(t string) bool { return !slices.Contains(e.Tags, names.Fold(t)) }):
		return false, nil
	case r.Mastery == 0:
		return true, nil
	}
	known, err := h.Health.Read(e.Name)
	return err == nil && known.Entry(e.Tree.String(), e.Version).Mastery >= r.Mastery, err
}
