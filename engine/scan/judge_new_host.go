package scan

import (
	"strings"
)

// bareHost matches a domain that is named without a scheme, by the endings under
// which anybody can register.
var bareHost = expr(`(?i)(?:^|[\s"'` + "`" + `(\[<=@:,])((?:[a-z0-9][a-z0-9-]{0,62}\.)+(?:com|net|org|io|xyz|top|site|online|cloud|info|biz|club|cc|ru|cn|dev|app|ai|pics|example|invalid))\b`)

// hostItems lists hosts in URLs and domains in words. A link to read is only a
// mention, and so is a name that reaches nobody unless something is sent there.
func hostItems(d *document) []item {
	var items []item
	for _, h := range namedHosts(d) {
		if ownAddress(h.name) {
			continue
		}
		items = append(items, item{span: h.span, key: h.name, mention: d.onlyLinked(h.start) || quietName(h.name) && !active.MatchString(d.sentence(h.start))})
	}
	for _, loc := range bareHost.FindAllStringSubmatchIndex(d.text, -1) {
		name := strings.ToLower(d.text[loc[2]:loc[3]])
		mention := d.placeOf(loc[2])&(prose|hidden|plain|shell) == 0 || quietName(name) || !active.MatchString(d.sentence(loc[2]))
		items = append(items, item{span: span{loc[2], loc[3]}, key: name, mention: mention})
	}
	return items
}

// quietName reports whether name is set aside for examples and standards.
func quietName(name string) bool {
	return reservedHost(name) || localAddress(name) || sampleAddress(name)
}

// active matches what a sentence does with an address beyond reading about it.
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
