package scan

import (
	"path"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// newGrantRule: the change allows a tool that was not allowed before.
func newGrantRule() deltaRule {
	return deltaRule{RuleInfo{"new-grant", Delta, diag.Warning, "the change allows a tool that was not allowed before",
		"allowed-tools is used without asking; a longer list is a wider scope.",
		"Say in the proposal why the tool is needed."}, grantItems}
}

// grants matches the front matter's allowed-tools, in its one-line form.
var grants = expr(`(?m)^allowed-tools:[ \t]*([^\n]+)`)

func grantItems(d *document) []item {
	if path.Base(d.path) != "SKILL.md" {
		return nil
	}
	loc := grants.FindStringSubmatchIndex(d.text)
	if loc == nil {
		return nil
	}
	var items []item
	for _, tool := range strings.FieldsFunc(d.text[loc[2]:loc[3]], func(r rune) bool { return r == ' ' || r == ',' }) {
		items = append(items, item{span: span{loc[2], loc[3]}, key: tool})
	}
	return items
}
