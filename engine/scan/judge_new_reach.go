package scan

import (
	"strings"
)

// reach matches names of secrets and paths outside of a project.
var reach = expr(`\b[A-Z][A-Z0-9]*_(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|URL|DSN)\b|(?:~|\$HOME|\$\{HOME\})/[\w.-]+(?:/[\w.-]+)?|(?:^|[\s"'` + "`" + `(=])(/(?:etc|root|srv|home|Users|mnt|dev/shm|var/tmp)/[\w.-]+(?:/[\w.-]+)?)|(?:^|[\s"'` + "`" + `(/])(\.env)\b|\b_?authToken\b`)

func reachItems(d *document) []item {
	var items []item
	atHome := map[string]bool{}
	for _, loc := range reach.FindAllStringSubmatchIndex(d.text, -1) {
		s := span{loc[0], loc[1]}
		for g := 2; g < len(loc); g += 2 {
			if loc[g] >= 0 {
				s = span{loc[g], loc[g+1]}
			}
		}
		// A name that is forbidden, or only given a value, is not a reach.
		if d.forbidden(s.start) || strings.HasPrefix(d.text[s.end:], "=") {
			continue
		}
		it := item{span: s, key: d.text[s.start:s.end], mention: keyAtHome(d, s.start) || besideService(d, s)}
		atHome[it.key] = atHome[it.key] || it.mention
		items = append(items, it)
	}
	// A text names a key that its command uses: only other uses of the key count.
	for i := range items {
		it := &items[i]
		it.mention = it.mention || atHome[it.key] && !strings.HasSuffix(strings.TrimSuffix(d.text[:it.start], "{"), "$")
	}
	return items
}

// besideService reports whether a key is in data, in a line that names its service and no URL: the
// configuration of that service.
func besideService(d *document, s span) bool {
	if d.placeOf(s.start) != data {
		return false
	}
	line := d.lineAround(s.start)
	rest := strings.ToLower(d.text[line.start:s.start] + d.text[s.end:line.end])
	service, _, _ := strings.Cut(strings.ToLower(d.text[s.start:s.end]), "_")
	return len(service) > 3 && strings.Contains(rest, service) && !strings.Contains(rest, "://")
}

// keyAtHome reports whether the command at offset speaks to one host, with that host's own key.
func keyAtHome(d *document, offset int) bool {
	s := d.command(offset)
	hosts := urlHost.FindAllStringIndex(d.text[s.start:s.end], 2)
	if len(hosts) != 1 {
		return false
	}
	at := span{s.start + hosts[0][0], s.start + hosts[0][1]}
	return ownKeyOnly(d, host{at, destination(d.text[at.start:at.end])})
}
