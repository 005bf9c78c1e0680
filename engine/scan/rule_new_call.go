package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/diag"
)

// newCallRule: the change starts a program or script that was not started before.
func newCallRule() deltaRule {
	return deltaRule{RuleInfo{"new-call", Delta, diag.Warning, "the change starts a program or script that was not started before",
		"What a capability runs is what it can do; each new program widens it.",
		"Say in the proposal why the program is needed."}, callItems}
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
