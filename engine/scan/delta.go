package scan

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/diag"
)

// deltaRule compares what a capability's files say before and after a change.
type deltaRule struct {
	RuleInfo
	// list names what of this kind stands in a document, each with its place.
	list func(d *document) []item
}

// item is one thing that a document uses or says, known by its key.
type item struct {
	span
	key string
}

func deltaRules() []RuleInfo {
	var infos []RuleInfo
	for _, r := range deltas() {
		infos = append(infos, r.RuleInfo)
	}
	return infos
}

// New returns what head says that base does not: findings whose rule and
// evidence base has fewer of, whatever their lines, and the delta rules. Files
// of a capability are judged together, so that moving text between them adds
// nothing; a capability that base does not have is new as a whole and draws no
// delta findings.
func New(base, head []File, opt Options) diag.List {
	known := map[string]int{}
	for _, f := range Files(base, opt) {
		known[findingKey(f)]++
	}
	var out diag.List
	for _, f := range Files(head, opt) {
		if key := findingKey(f); known[key] > 0 {
			known[key]--
			continue
		}
		out.Add(f)
	}
	before := itemsByFolder(base, opt)
	for folder, after := range itemsByFolder(head, opt) {
		if was, ok := before[folder]; ok {
			out.Add(widened(was, after)...)
		}
	}
	out.Sort()
	return out
}

// findingKey tells findings apart by what they found, not by where.
func findingKey(d diag.Diagnostic) string {
	return strings.Join([]string{unitOf(d.File), d.Rule, d.Severity.String(), d.Evidence}, "\x00")
}

// widened returns the diagnostics of items that were not there before.
func widened(was, after map[string]diag.Diagnostic) diag.List {
	var out diag.List
	for key, found := range after {
		if _, ok := was[key]; !ok {
			out.Add(found)
		}
	}
	return out
}

// itemsByFolder lists what the files of each capability use and say, by rule and
// key, as the diagnostic that each would draw if it were new.
func itemsByFolder(files []File, opt Options) map[string]map[string]diag.Diagnostic {
	folders := map[string]map[string]diag.Diagnostic{}
	ordered := slices.SortedFunc(slices.Values(files), func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	for _, f := range ordered {
		unit := unitOf(f.Path)
		if folders[unit] == nil {
			folders[unit] = map[string]diag.Diagnostic{}
		}
		text, _ := readable(f, opt)
		if text == "" {
			continue
		}
		d := newDocument(f.Path, text, nil)
		for _, r := range deltas() {
			for _, it := range r.list(d) {
				key := r.ID + "\x00" + it.key
				if _, ok := folders[unit][key]; !ok {
					folders[unit][key] = r.diagnostic(d, it)
				}
			}
		}
	}
	return folders
}

func (r deltaRule) diagnostic(d *document, it item) diag.Diagnostic {
	return diag.Diagnostic{
		Rule: r.ID, Severity: r.Severity, Pos: d.pos(it.start), Message: r.Summary + ": " + Visible(it.key),
		Fix: r.Fix, Why: r.Why, Evidence: Visible(d.text[it.start:it.end]), Confidence: 0.7,
	}
}

// unitOf returns the folder whose files belong together: the nearest above the
// folders that a capability may have.
func unitOf(file string) string {
	dir := path.Dir(file)
	for {
		switch path.Base(dir) {
		case "scripts", "references", "assets", "evals":
			return path.Dir(dir)
		}
		if dir == "." || dir == "/" || !strings.Contains(dir, "/") {
			return path.Dir(file)
		}
		dir = path.Dir(dir)
	}
}

// inSpan reports whether a code span opens right before offset.
func (d *document) inSpan(offset int) bool { return offset > 0 && d.text[offset-1] == '`' }
