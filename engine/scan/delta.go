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

// deltas is the table of delta rules.
func deltas() []deltaRule {
	return []deltaRule{
		{RuleInfo{"new-host", Delta, diag.Warning, "the change speaks to a host that was not spoken to before",
			"Most attacks on a reviewed capability are a small, plausible edit; a new address is where its data goes.",
			"Say in the proposal why the host is needed."}, hostItems},
		{RuleInfo{"new-call", Delta, diag.Warning, "the change starts a program or script that was not started before",
			"What a capability runs is what it can do; each new program widens it.",
			"Say in the proposal why the program is needed."}, callItems},
		{RuleInfo{"new-duty", Delta, diag.Warning, "the change adds a duty for every task",
			"An 'always' or 'after every task' reaches every later task of every agent that links the capability.",
			"Limit the sentence to the work that this capability is for."}, dutyItems},
		{RuleInfo{"new-grant", Delta, diag.Warning, "the change allows a tool that was not allowed before",
			"allowed-tools is used without asking; a longer list is a wider scope.",
			"Say in the proposal why the tool is needed."}, grantItems},
	}
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

func hostItems(d *document) []item {
	var items []item
	for _, h := range hosts(d) {
		items = append(items, item{h.span, h.name})
	}
	return items
}

var programCall = expr(`\b(?:subprocess\.(?:run|call|Popen|check_output|check_call)|os\.(?:system|popen|exec[lv]p?e?)|execSync|execFile(?:Sync)?|spawn(?:Sync)?|child_process\.exec)\s*\(\s*(?:\[\s*)?f?["'` + "`" + `]([^"'` + "`" + `\s]{1,80})|(?:^|[\n;&|(` + "`" + `])[ \t]*(?:\$\s+)?((?:(?:ba)?sh|python3?|node|perl|ruby|source|npx|uvx|bunx)\s+(?:-\w+\s+)*[\w@./-]*[\w./-]|\./[\w./-]+)`)

func callItems(d *document) []item {
	var items []item
	for _, loc := range programCall().FindAllStringSubmatchIndex(d.text, -1) {
		for g := 2; g < len(loc); g += 2 {
			if loc[g] >= 0 && (d.placeOf(loc[g])&(code|data) != 0 || d.inSpan(loc[g])) && !d.inComment(loc[g]) {
				items = append(items, item{span{loc[g], loc[g+1]}, strings.Join(strings.Fields(d.text[loc[g]:loc[g+1]]), " ")})
			}
		}
	}
	return items
}

// inSpan reports whether a code span opens right before offset.
func (d *document) inSpan(offset int) bool { return offset > 0 && d.text[offset-1] == '`' }

func dutyItems(d *document) []item {
	var items []item
	for _, r := range persistenceRules() {
		if r.ID != "duty" {
			continue
		}
		for _, loc := range r.patterns[0].re().FindAllStringIndex(d.text, -1) {
			if d.placeOf(loc[0])&r.patterns[0].in != 0 {
				s := d.sentence(loc[0])
				items = append(items, item{span{loc[0], loc[1]}, strings.ToLower(strings.Join(strings.Fields(s), " "))})
			}
		}
	}
	return items
}

// grants matches the front matter's allowed-tools, in its one-line form.
var grants = expr(`(?m)^allowed-tools:[ \t]*([^\n]+)`)

func grantItems(d *document) []item {
	if path.Base(d.path) != "SKILL.md" {
		return nil
	}
	loc := grants().FindStringSubmatchIndex(d.text)
	if loc == nil {
		return nil
	}
	var items []item
	for _, tool := range strings.FieldsFunc(d.text[loc[2]:loc[3]], func(r rune) bool { return r == ' ' || r == ',' }) {
		items = append(items, item{span{loc[2], loc[3]}, tool})
	}
	return items
}
