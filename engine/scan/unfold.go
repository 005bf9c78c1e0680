package scan

import (
	"sort"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

// unfolded applies the patterns to the commands and calls of d after their pieces
// are put together. A finding in a spelling that hid letters is as certain as a
// finding in an encoding.
func (m *machine) unfolded(d *document) []finding {
	if d.depth > 0 {
		return nil
	}
	type origin struct {
		at        int
		line      program.Line
		r         *reading
		disguised bool
	}
	var b strings.Builder
	var origins []origin
	readings := d.readings()
	for i := range readings {
		// A fence without a language may be anything; its words are commands only
		// where their spelling says so.
		vague := d.placeOf(readings[i].base)&plain != 0
		for _, line := range readings[i].Lines {
			if vague && !line.Disguised {
				continue
			}
			if b.Len() > DefaultMaxFile {
				break
			}
			origins = append(origins, origin{b.Len(), line, &readings[i], line.Disguised})
			b.WriteString(strings.ReplaceAll(line.Text, "\n", " ; "))
			b.WriteByte('\n')
		}
	}
	if len(origins) == 0 {
		return nil
	}
	inner := newDocument("unfolded.sh", b.String(), nil)
	inner.depth = d.depth + 1
	var found []finding
	for _, f := range m.confirm(inner) {
		if f.rule.Layer != Code && f.rule.Layer != Packages || f.severity > diag.Warning && f.rule.ID != "sudo" {
			continue
		}
		o := origins[sort.Search(len(origins), func(i int) bool { return origins[i].at > f.start })-1]
		s := o.r.span(o.line.At, o.line.End)
		// A match that the text contains unchanged was judged there, in its context.
		if !o.disguised && f.severity > diag.Error && strings.Contains(braced.Replace(d.text[s.start:max(s.start, s.end)]), braced.Replace(inner.text[f.start:f.end])) {
			continue
		}
		out := match{start: s.start, end: max(s.start, s.end), severity: f.severity, confidence: f.confidence, message: f.message, evidence: "put together: " + o.line.Text}
		if out.message == "" {
			out.message = f.rule.Summary
		}
		if o.disguised {
			out.severity, out.message = diag.Error, out.message+"; its spelling hides it"
		}
		found = append(found, finding{f.rule, d.inContext(out)})
	}
	return found
}

// braced takes the braces of variables away: "${x}" is "$x".
//
//nolint:gochecknoglobals // a constant that Go has no literal for.
var braced = strings.NewReplacer("{", "", "}", "")

// merged drops findings that repeat another finding of the same rule at the same
// place.
func merged(found []finding) []finding {
	var out []finding
	byRule := map[*rule][]int{}
next:
	for _, f := range found {
		for _, i := range byRule[f.rule] {
			old := &out[i]
			if old.start < max(f.end, f.start+1) && f.start < max(old.end, old.start+1) {
				if f.severity < old.severity {
					old.match = f.match
				}
				continue next
			}
		}
		byRule[f.rule] = append(byRule[f.rule], len(out))
		out = append(out, f)
	}
	return out
}
