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

// singular is a word without the s of a plural or of a verb.
func singular(w string) string {
	stem, ends := strings.CutSuffix(w, "s")
	switch {
	case !ends || len(w) < 4 || hasEnding(w, "ss", "us", "is", "as", "os", "ics", "ews") || slices.Contains([]string{"kubernetes", "postgres", "jenkins", "windows", "series", "sales"}, w):
		return w
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return strings.TrimSuffix(w, "ies") + "y"
	case hasEnding(w, "xes", "ches", "shes", "sses", "zzes", "oes"):
		return strings.TrimSuffix(stem, "e")
	}
	return stem
}

// infinitive is a verb without its ending: send of sends and sending, make of making.
func infinitive(w string) string {
	stem, ends := strings.CutSuffix(w, "ing")
	if !ends {
		return singular(w)
	}
	const vowels = "aeiouy"
	n := len(stem)
	if n < 3 || !strings.ContainsAny(stem, vowels) {
		return w
	}
	vowel := func(i int) bool { return strings.IndexByte(vowels, stem[i]) >= 0 }
	switch {
	case stem[n-1] == stem[n-2] && !hasEnding(stem, "ll", "ss", "zz", "ff", "ee"):
		return stem[:n-1]
	case hasEnding(stem, "at", "iz", "bl", "dl", "pl", "tl", "rs", "v", "u", "g", "c"), // translate, parse, save, manage
		n < 5 && !vowel(n-1) && vowel(n-2) && !vowel(n-3) && !hasEnding(stem, "w", "x", "y"): // make, store
		return stem + "e"
	}
	return stem
}

func hasEnding(w string, endings ...string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(w, e) })
}
