package scan

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/plaintext"
)

// deltaRule compares the files of a capability before and after a change.
type deltaRule struct {
	RuleInfo
	// list returns the items of this kind in a document, with their places. It is
	// nil for the rule lost-safeguard, which compares sentences.
	list func(d *document) []item
}

// item is one thing that a document uses or says, known by its key.
type item struct {
	span
	key string
	// mention says that the text only points to the item; a new mention is a note.
	mention bool
}

// New returns the findings that head has and base does not: findings whose rule and
// evidence base has fewer of, on any lines, and the findings of the delta rules. Files
// of a capability are judged together, so that moving text between them adds nothing.
// A capability that base does not have is new as a whole and draws no delta findings.
func New(base, head []File, opt Options) diag.List {
	return guarded(head, func() diag.List { return newFound(base, head, opt) })
}

func newFound(base, head []File, opt Options) diag.List {
	unit := unitsBelow(base, head)
	before, after := unitsOf(base, opt, unit), unitsOf(head, opt, unit)
	out := added(filesFound(base, opt), filesFound(head, opt), before, unit)
	for folder, is := range after {
		if was, ok := before[folder]; ok {
			out.Add(widened(was, is)...)
			out.Add(lostSafeguards(was, is)...)
		}
	}
	out.Sort()
	return out
}

// leastGrown is the confidence from which a note counts for more in a change.
// Quoted or forbidden phrases have less.
const leastGrown = 0.25

// added returns the findings of head that base has fewer of. A rule that grows
// counts as a warning if an existing capability has more of its findings. Findings are
// compared by evidence, not by place.
func added(base, head diag.List, before map[string][]*document, unitOf func(string) string) diag.List {
	findingKey := func(d diag.Diagnostic) string {
		return strings.Join([]string{unitOf(d.File), d.Rule, d.Severity.String(), d.Evidence}, "\x00")
	}
	known, count := map[string]int{}, map[string]int{}
	for _, f := range base {
		known[findingKey(f)]++
		count[unitOf(f.File)+"\x00"+f.Rule]--
	}
	for _, f := range head {
		count[unitOf(f.File)+"\x00"+f.Rule]++
	}
	grows := growing()
	var out diag.List
	for _, f := range head {
		if key := findingKey(f); known[key] > 0 {
			known[key]--
			continue
		}
		if _, ok := before[unitOf(f.File)]; ok && f.Severity == diag.Note && f.Confidence >= leastGrown && grows[f.Rule] && count[unitOf(f.File)+"\x00"+f.Rule] > 0 {
			f.Severity = diag.Warning
		}
		out.Add(f)
	}
	return out
}

// growing lists the rules whose notes weigh more in a change.
func growing() map[string]bool {
	out := map[string]bool{}
	for _, r := range engine().rules {
		if r.grows {
			out[r.ID] = true
		}
	}
	return out
}

// unitsOf returns the readable files of each capability, in order.
func unitsOf(files []File, opt Options, unitOf func(string) string) map[string][]*document {
	units := map[string][]*document{}
	ordered := order.Sorted(slices.Values(files), func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	for _, f := range ordered {
		unit := unitOf(f.Path)
		units[unit] = append(units[unit], nil)[:len(units[unit])]
		written := f
		for _, form := range []plaintext.Form{plaintext.Bare, plaintext.Latin, plaintext.Together} { // each undoes more than the one before
			if plain, ok := plainForm(written, form); ok {
				f = plain
			}
		}
		if text, _ := readable(f, opt); text != "" {
			d := newDocument(f.Path, text, nil)
			d.plain, d.machine = f.plain, engine()
			units[unit] = append(units[unit], d)
		}
	}
	return units
}

// widened returns a diagnostic for each item of is that was does not have. The use
// of an item that was only mentioned before is new; a mention of a known item is not.
func widened(was, is []*document) diag.List {
	var out diag.List
	for _, r := range rules().deltas() {
		if r.list == nil {
			continue
		}
		known := map[string]bool{}
		for _, d := range was {
			for _, it := range r.list(d) {
				known[it.key] = known[it.key] || !it.mention
			}
		}
		found := map[string]diag.Diagnostic{}
		for _, d := range is {
			for _, it := range r.list(d) {
				used, before := known[it.key]
				if before && (used || it.mention) {
					continue
				}
				if old, ok := found[it.key]; !ok || old.Severity == diag.Note && !it.mention {
					found[it.key] = r.diagnostic(d, it)
				}
			}
		}
		for _, f := range found {
			out.Add(f)
		}
	}
	return out
}

func (r deltaRule) diagnostic(d *document, it item) diag.Diagnostic {
	severity := r.Severity
	if it.mention {
		severity = diag.Note
	}
	return diag.Diagnostic{
		Rule: r.ID, Severity: severity, Pos: d.pos(it.start), Message: r.Summary + ": " + Visible(it.key),
		Fix: r.Fix, Why: r.Why, Evidence: Visible(d.text[it.start:it.end]), Confidence: 0.7,
	}
}

// unitsBelow returns a function that maps a path to the folder whose files belong together: the
// nearest one above that has a SKILL.md, else the nearest above the folders that a capability may have.
func unitsBelow(sets ...[]File) func(file string) string {
	skills := map[string]bool{}
	for _, files := range sets {
		for _, f := range files {
			if strings.EqualFold(path.Base(f.Path), names.SkillFile) {
				skills[path.Dir(f.Path)] = true
			}
		}
	}
	return func(file string) string {
		folder := ""
		for dir := path.Dir(file); dir != "." && dir != "/"; dir = path.Dir(dir) {
			if skills[dir] {
				return dir
			}
			switch path.Base(dir) {
			case "scripts", "references", "assets", "evals":
				if folder == "" && strings.Contains(dir, "/") {
					folder = path.Dir(dir)
				}
			}
		}
		return cmp.Or(folder, path.Dir(file))
	}
}

// inSpanOf reports whether offset is inside a code span of its line.
func (d *document) inSpanOf(offset int) bool {
	line := d.lineAround(offset)
	return strings.Count(d.text[line.start:offset], "`")%2 == 1
}

// inSpan reports whether a code span opens right before offset.
func (d *document) inSpan(offset int) bool { return offset > 0 && d.text[offset-1] == '`' }
