package scan

import (
	"strings"
)

// dutyItems returns the phrases that the rule duty finds. The key of a phrase has its
// number of earlier occurrences: a reworded sentence has as many as the old one.
func dutyItems(d *document) []item {
	duty := d.machine.byID(ruleDuty).patterns[0]
	var items []item
	count := map[string]int{}
	for _, loc := range duty.re.FindAllStringIndex(d.text, -1) {
		if d.placeOf(loc[0])&duty.in != 0 {
			phrase := strings.ToLower(strings.Join(strings.Fields(d.text[loc[0]:loc[1]]), " "))
			items = append(items, item{span: span{loc[0], loc[1]}, key: strings.Repeat("again ", count[phrase]) + phrase})
			count[phrase]++
		}
	}
	return items
}
