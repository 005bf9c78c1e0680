package scan

import "strings"

var (
	// mailbox matches an address for mail, or an account of a cloud's.
	mailbox = expr(`(?i)["'=:\s,\[(]([\w.+-]{1,64}@[a-z0-9-]+(?:\.[a-z0-9-]+)+)`)
	// sampleNumber matches account numbers that only examples have.
	sampleNumber = expr(`(?:123456789012|0{12}|(?:1111|2222|3333|4444|5555|6666|7777|8888|9999){3}|1111\d{8}|210987654321|012345678901|999999999999)`)
)

// judgeFixedGuest keeps an act by which a program admits a guest that it names itself: its user does
// not choose the guest. Names out of a variable, and names of examples, do not count.
func judgeFixedGuest(d *document, m *match) bool {
	if !d.whole || testProgram.MatchString(d.path) || d.inComment(m.start) || d.signatureAt(m.start) {
		return false
	}
	text := d.text[m.start:m.end]
	switch {
	case strings.Contains(text, "AAAA"):
		return softenShown(d, m)
	case strings.Contains(text, "arn:aws:iam::"):
		return !sampleNumber.MatchString(text) && softenShown(d, m)
	case m.group(d, 1) != "":
		return !isPlaceholder(m.group(d, 1)) && softenShown(d, m)
	}
	near := d.text[max(0, m.start-before):min(len(d.text), m.end+before)]
	for _, who := range mailbox.FindAllStringSubmatch(near, 8) {
		_, host, _ := strings.Cut(strings.ToLower(who[1]), "@")
		if !isPlaceholder(host) && !reservedHost(host) && !containsAny(host, "company", "acme", "domain", "contoso", "noreply", "corp") {
			return softenShown(d, m)
		}
	}
	return false
}
