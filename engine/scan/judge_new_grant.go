package scan

import (
	"path"
	"strings"
)

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
