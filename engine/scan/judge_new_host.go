package scan

import (
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/scan/program"
)

// bareHost matches a domain that is named without a scheme, by the endings under
// which anybody can register.
var bareHost = expr(`(?i)(?:^|[\s"'` + "`" + `(\[<=@:,])((?:[a-z0-9][a-z0-9-]{0,62}\.)+(?:com|net|org|io|xyz|top|site|online|cloud|info|biz|club|cc|ru|cn|dev|app|ai|pics|example|invalid))\b`)

// hostItems lists hosts in URLs and domains in words. A link to read is only a
// mention. A name that reaches no host is a mention too, unless something is sent there.
func hostItems(d *document) []item {
	var items []item
	for _, h := range namedHosts(d) {
		if ownAddress(h.name) {
			continue
		}
		items = append(items, item{span: h.span, key: h.name, mention: publishes(h.name) || ownKeyOnly(d, h) || d.onlyLinked(h.start) || quietName(h.name) && !active.MatchString(d.sentence(h.start))})
	}
	for _, loc := range bareHost.FindAllStringSubmatchIndex(d.text, -1) {
		name := strings.ToLower(d.text[loc[2]:loc[3]])
		mention := d.placeOf(loc[2])&(prose|hidden|plain|shell) == 0 || quietName(name) || !active.MatchString(d.sentence(loc[2]))
		items = append(items, item{span: span{loc[2], loc[3]}, key: name, mention: mention})
	}
	return items
}

// publishes reports whether name is a host that only publishes data.
func publishes(name string) bool {
	return slices.ContainsFunc(rules().shared.Lists["public-data"], func(host string) bool { return name == host || strings.HasSuffix(name, "."+host) })
}

// keyUsed matches a key of the environment in a command or a statement.
var keyUsed = expr(`(?:\$\{?|(?i:env|environ|getenv)\W{1,3})([A-Z][A-Z0-9]*_[A-Z0-9_]+)`)

// ownKeyOnly reports whether the command that speaks to h logs in with the key of a well-known service
// to that service, and with no other key: its user has an account there.
func ownKeyOnly(d *document, h host) bool {
	owned, s := false, d.command(h.start)
	for _, m := range keyUsed.FindAllStringSubmatch(d.text[s.start:s.end], -1) {
		if !program.SecretName(m[1]) {
			continue
		}
		if _, known := keyService(m[1]); !known || !belongs(m[1], h.name) {
			return false
		}
		owned = true
	}
	return owned
}

// mostJoined bounds the lines that backslashes join to one command.
const mostJoined = 12

// command returns the line at offset, with the lines that a backslash joins to it.
func (l *lined) command(offset int) span {
	s := l.lineAround(offset)
	for n := 0; n < mostJoined && s.start > 1 && strings.HasSuffix(l.text[:s.start-1], "\\"); n++ {
		s.start = l.lineAround(s.start - 2).start
	}
	for n := 0; n < mostJoined && s.end < len(l.text)-1 && strings.HasSuffix(l.text[:s.end], "\\"); n++ {
		s.end = l.lineAround(s.end + 1).end
	}
	return s
}

// quietName reports whether name is set aside for examples and standards.
func quietName(name string) bool {
	return reservedHost(name) || localAddress(name) || sampleAddress(name)
}

// active matches verbs for the use of an address beyond reading about it.
var active = said(`\b(?:send|upload|post|forward|transmit|submit|report|copy|push|sync|publish|relay|share|paste|download|install|fetch|pull|curl|wget|run|execute|visit|log in|login|confirm|verify|recommend|through|proxy|mirror|registry|registries|index|clone|call|request|query|deliver|mail|e-?mail|cc|bcc|book|pay|order|buy|use|prefer|endpoint|remote|api|webhook|docker|npm|pip|git|ask|open)(?:s|es|ed|ing)?\b`)

// onlyLinked reports whether the address at offset is the target of a Markdown
// link or a plain reference in prose.
func (d *document) onlyLinked(offset int) bool {
	if d.placeOf(offset)&prose == 0 {
		return false
	}
	lead := d.text[max(0, offset-2):offset]
	linked := strings.HasSuffix(lead, "](") || strings.HasSuffix(lead, "<") || strings.HasSuffix(lead, ": ")
	text := d.sentence(offset)
	if linked {
		return !transfers.MatchString(text)
	}
	return reference.MatchString(text) && !transfers.MatchString(text)
}

var (
	// transfers matches acts that move data or programs.
	transfers = said(`\b(?:send|sent|upload|post|forward|transmit|submit|report|push|sync|relay|share|paste|download|install|curl|wget|run|execute|log in|login|confirm|proxy|mirror|mail|e-?mail|pay|book|register)(?:s|es|ed|ing)?\b`)
	// reference matches the words that introduce something to read.
	reference = said(`\b(?:see|docs?|documentation|guide|reference|manual|read more|more (?:about|on|in)|details|based on|follows|explained|described|specification|spec|changelog|source|homepage|website|repository|licen[cs]e)\b`)
)
