package scan

import (
	"strings"
)

// reach matches names of secrets and paths outside of a project.
var reach = expr(`\b[A-Z][A-Z0-9]*_(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|URL|DSN)\b|(?:~|\$HOME|\$\{HOME\})/[\w.-]+(?:/[\w.-]+)?|(?:^|[\s"'` + "`" + `(=])(/(?:etc|root|srv|home|Users|mnt|dev/shm|var/tmp)/[\w.-]+(?:/[\w.-]+)?)|(?:^|[\s"'` + "`" + `(/])(\.env)\b|\b_?authToken\b`)

func reachItems(d *document) []item {
	var items []item
	for _, loc := range reach.FindAllStringSubmatchIndex(d.text, -1) {
		s := span{loc[0], loc[1]}
		for g := 2; g < len(loc); g += 2 {
			if loc[g] >= 0 {
				s = span{loc[g], loc[g+1]}
			}
		}
		// What is forbidden, or only given a value, is not reached for.
		if d.forbidden(s.start) || strings.HasPrefix(d.text[s.end:], "=") {
			continue
		}
		items = append(items, item{span: s, key: d.text[s.start:s.end]})
	}
	return items
}
