// Package learn computes the entries that the engine writes into an agent's list of
// learned capabilities, and so which entries of a list are the engine's.
//
// An entry is the engine's if it is exactly what the engine would write for the
// capability in the same tree. Anything else in a list counts as text by its author,
// however similar. The package changes no file.
package learn

import (
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/soul"
)

// VerifiedBy is the name in the engine's entries.
const VerifiedBy = "assent"

// Entry returns the learned entry of a capability. day is yyyy-mm-dd.
func Entry(c capability.Capability, day string) soul.Entry {
	e := soul.Entry{
		Name: c.Name, Learned: day, Status: string(c.Status), VerifiedBy: VerifiedBy, Description: c.Description,
		Usage: "Load the skill " + c.Name + " and follow it.",
	}
	r := c.Record
	if c.Executable {
		e.Usage = "Call by name: " + names.Callable(c.Name) + "(…)."
	}
	if len(r.Requires.Secrets) > 0 {
		e.Requirements = append(e.Requirements, "Environment variables: "+strings.Join(r.Requires.Secrets, ", "))
	}
	if r.Cost != nil && r.Cost.PerUse > 0 {
		e.Requirements = append(e.Requirements, fmt.Sprintf("Cost: %g %s per use", r.Cost.PerUse, r.Cost.Currency))
	}
	if r.RateLimit != nil {
		if rate, err := r.RateLimit.MarshalText(); err == nil {
			e.Requirements = append(e.Requirements, "Rate limit: "+string(rate))
		}
	}
	e.Limitations = r.Limitations
	for _, p := range r.ErrorPatterns {
		e.ErrorPatterns = append(e.ErrorPatterns, strings.TrimSuffix(p.Means+": "+p.Fix, ": "))
	}
	return e
}

// Owner decides for one tree which entries are the engine's.
type Owner struct {
	view  tree.View
	names capability.Namer
	err   error
}

// NewOwner returns the owner of the entries in v.
func NewOwner(v tree.View) *Owner { return NewOwnerBy(v, capability.NamerOf(v)) }

// NewOwnerBy is NewOwner with a known Namer for v.
func NewOwnerBy(v tree.View, names capability.Namer) *Owner { return &Owner{view: v, names: names} }

// Owns reports whether e is exactly the engine's entry. An entry with a mastery score is
// not: the evidence for it is not in the tree.
func (o *Owner) Owns(e soul.Entry) bool {
	dir, ok := o.folder(e.Name)
	if !ok || e.Mastery != nil {
		return false
	}
	c, diags, err := capability.Load(o.view, dir)
	if err != nil {
		o.err = err
	}
	if err != nil || diags.HasErrors() {
		return false
	}
	return string(soul.WriteEntry(Entry(c, e.Learned))) == string(soul.WriteEntry(e))
}

// Err returns the first failure to read the tree, or nil. After a failure Owns reported
// false.
func (o *Owner) Err() error { return o.err }

func (o *Owner) folder(name string) (string, bool) {
	known, err := o.names.Named(name)
	if err != nil {
		o.err = err
	}
	if err != nil || len(known) == 0 {
		return "", false
	}
	return known[len(known)-1].Path, true
}

// Without returns a SOUL.md of the tree without the engine's entries, for comparing the
// rest.
func (o *Owner) Without(src []byte) []byte { return soul.WithoutEntries(src, o.Owns) }
