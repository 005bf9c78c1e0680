package policy

import (
	"path"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/format/capability"
)

// kinds returns the kinds of the parts of a change, and all kinds by which rules match: those of the parts, the
// derived one, the declared one, and revise for each capability that was there before and stays. Proposers choose
// what a change contains and declares, so no kind hides another one. Older versions knew the derived one only.
func (f Facts) kinds() (parts, all []string) {
	all = []string{f.Kind}
	if f.Undated {
		return all, all
	}
	add := func(to *[]string, kind string) {
		if kind != "" && !slices.Contains(*to, kind) {
			*to = append(*to, kind)
		}
	}
	for _, p := range f.Paths {
		add(&parts, f.kindOf(p))
	}
	for _, e := range f.Soul {
		if !e.Engine {
			add(&parts, "soul")
		}
	}
	for _, c := range f.Capabilities {
		add(&parts, c.life())
	}
	//defence:no-kind-hides-another
	for _, kind := range append(slices.Clone(parts), f.Claimed) {
		add(&all, kind)
	}
	//defence:what-stays-is-revised
	if slices.ContainsFunc(f.Capabilities, func(c Capability) bool { return c.Op == Modified }) {
		add(&all, "revise")
	}
	return parts, all
}

// kindOf is the kind of a changed file; empty for what sections and capabilities show, and for the proposal's own.
func (f Facts) kindOf(p PathChange) string {
	switch area, _, _ := strings.Cut(p.Path, "/"); {
	case area == "policies":
		return "policy"
	case area == "workflows":
		return "workflow"
	case area == "soul" && p.Op == Modified && path.Base(p.Path) == "SOUL.md":
		return ""
	case area == "soul":
		return "soul"
	}
	own := proposalFile().FindStringSubmatch(p.Path)
	if own != nil && own[1] == f.ID || slices.ContainsFunc(f.Capabilities, func(c Capability) bool { return strings.HasPrefix(p.Path, c.Path+"/") }) {
		return ""
	}
	return "revise"
}

// life is the kind of what happens to a capability.
func (c Capability) life() string {
	moved := capability.Status(c.Status).Moved(capability.Status(c.WasStatus))
	switch {
	case c.Op == Removed:
		return "archive"
	case c.Op == Added:
		return "add"
	case moved < 0:
		return "deprecate"
	case moved > 0:
		return "promote"
	}
	return "revise"
}
