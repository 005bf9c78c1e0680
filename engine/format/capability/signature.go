package capability

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
)

// Canonical returns the name of the capability that c implements. Its input and output
// are the signature of all implementations.
func (c Capability) Canonical() string { return cmp.Or(c.Record.Implements, c.Name) }

// callable reports whether a capability has a signature that callers use.
func (c Capability) callable() bool { return c.Kind == KindTool || c.Kind == KindMCP }

// CheckSignature checks that an implementation can replace the capability it implements.
// It must accept every input of the canonical signature, and its answers must fit the
// canonical output. Fits says what is decided. A breaking version has a signature of its
// own.
func CheckSignature(impl, canonical Capability) diag.List {
	if impl.Record.Breaking || !impl.callable() {
		return nil
	}
	if impl.Kind != canonical.Kind && canonical.Kind != "" {
		var out diag.List
		out.Errorf(RuleSignature, impl.RecordPos("implements"), "implement a capability of the same kind",
			"%s is of kind %s, and %s, which it implements, of kind %s", impl.Name, impl.Kind, canonical.Name, canonical.Kind)
		return out
	}
	return compatible(impl, canonical.Record, "the signature of "+canonical.Name, diag.Error)
}

// checkInPlace reports incompatible changes of a folder, which need a folder of their
// own. Before 1.0.0, and before it was active, nothing was promised, so they are only
// noted. Text has no signature.
func checkInPlace(base, head Capability) diag.List {
	var out diag.List
	if !base.callable() || !head.callable() || base.SpecOnly {
		return out
	}
	if was, is := base.Version.Major(), head.Version.Major(); was > 0 && is > was {
		out.Errorf(RuleBreaking, head.RecordPos("version"), fmt.Sprintf("keep %s as it is, and propose %s-v%d, which supersedes it", head.Name, head.Canonical(), is),
			"a breaking version, %s after %s, in the folder of the one before: its callers would have no choice", head.Version, base.Version)
		return out
	}
	severity := diag.Error
	if base.Version.Major() == 0 || base.Status != Active && base.Status != Deprecated {
		severity = diag.Note
	}
	return compatible(head, base.Record, "the signature in force", severity)
}

// compatible compares both directions: input at least as wide, output at least as narrow.
func compatible(c Capability, canonical Record, what string, severity diag.Severity) diag.List {
	var out diag.List
	for _, side := range []struct {
		key, message string
		there        bool
		fit          func() Fit
	}{
		{"input", "does not take what " + what + " takes", c.Record.Input != nil, func() Fit {
			return Fits(schemaOr(canonical.Input, map[string]any{"type": "object"}), c.Record.Input)
		}},
		{"output", "answers what " + what + " does not answer", canonical.Output != nil, func() Fit {
			return Fits(schemaOr(c.Record.Output, map[string]any{}), canonical.Output)
		}},
	} {
		if !side.there {
			continue
		}
		fit := side.fit()
		pos := c.RecordPos(side.key)
		if len(fit.Wrong) > 0 {
			out.Add(diag.Diagnostic{
				Rule: RuleSignature, Pos: pos, Severity: severity,
				Fix:     fmt.Sprintf("keep to it, or propose a breaking version: %s-v%d", c.Canonical(), max(1, c.Version.Major())+1),
				Message: fmt.Sprintf("%s %s: %s", c.Name, side.message, few(fit.Wrong)),
			})
			continue
		}
		if len(fit.Unknown) > 0 {
			out.Notef(RuleSignature, pos, "", "whether %s of %s keeps to %s is not decided: %s", side.key, c.Name, what, few(fit.Unknown))
		}
	}
	return out
}

func schemaOr(schema, other map[string]any) map[string]any {
	if schema == nil {
		return other
	}
	return schema
}

func few(places []string) string {
	const most = 3
	if len(places) > most {
		return strings.Join(places[:most], "; ") + fmt.Sprintf("; and %d more", len(places)-most)
	}
	return strings.Join(places, "; ")
}

// CheckBreaking refuses a breaking version in an invalid form. old is the capability that
// it supersedes, as it will exist beside it.
func CheckBreaking(c, old Capability) diag.List {
	var out diag.List
	say := func(key, fix, format string, args ...any) {
		out.Errorf(RuleBreaking, c.RecordPos(key), fix, format, args...)
	}
	want := fmt.Sprintf("%s-v%d", c.Canonical(), c.Version.Major())
	switch {
	case names.Fold(c.Canonical()) != names.Fold(old.Canonical()):
		say("implements", "write implements: "+old.Canonical(), "a breaking version of %s implements %s, and %s implements %s",
			old.Name, c.Canonical(), old.Name, old.Canonical())
	case c.Version.Major() <= old.Version.Major():
		say("version", fmt.Sprintf("use version %d.0.0", old.Version.Major()+1), "a breaking version of %s %s has the version %s", old.Name, old.Version, c.Version)
	case names.Fold(c.Name) != names.Fold(want):
		say("version", "call it "+want, "a breaking version stands in the folder %s, not %s", want, c.Name)
	}
	if c.Status == Active {
		say("status", "set status: testing", "a breaking version starts in testing")
	}
	if old.Status != Deprecated && old.Status != Retired {
		say("supersedes", "set status: deprecated in its capability.yaml, in the same proposal", "%s, which a breaking version supersedes, is still %s", old.Name, old.Status)
	}
	return out
}
