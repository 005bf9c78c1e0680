package gaps

import (
	"slices"
	"strings"
)

// nameOf makes a name of a purpose, one for all its forms: "sends faxes", "sending faxes" and "to send a fax" are
// send-fax. The first word loses the ending of a verb, the last one that of a plural, unless it is a proper name.
func nameOf(purpose string, most int) string {
	name := slug(purpose, most)
	parts := strings.Split(name, "-")
	proper := func(part string) bool {
		i := strings.Index(strings.ToLower(purpose), part)
		return i < 0 || i >= len(purpose) || purpose[i] >= 'A' && purpose[i] <= 'Z'
	}
	last := len(parts) - 1
	if last > 0 && !proper(parts[0]) {
		parts[0] = infinitive(parts[0])
	}
	if !proper(parts[last]) {
		parts[last] = singular(parts[last])
	}
	return strings.Join(parts, "-")
}

func hasEnding(w string, endings ...string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(w, e) })
}
