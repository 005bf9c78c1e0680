package scan

import "strings"

// A rule about prose asks which words occur together in one sentence, in any order
// and wording: an act, its object, and its destination.

// stops are where a sentence or an item ends; ending has the first character of each.
//
//nolint:gochecknoglobals // constants that Go has no literals for.
var (
	stops  = [...]string{". ", "\n\n", "\n\r\n", "\n- ", "\n* ", "\n+ ", "\n#", "\n|", "! ", "? ", ".\n", ".\r\n", "\n```"}
	ending = [256]bool{'.': true, '\n': true, '!': true, '?': true}
)

// wording is a layout whose sentences are asked for.
type wording struct {
	layout
	// last is the sentence that was asked for last.
	last sentence
}

// sentence is the cached result for an offset; several judges ask for the same one.
type sentence struct {
	offset int
	known  bool
	span
}

// sentenceSpan returns the sentence or item around offset, at most before bytes
// before and after bytes after it.
func (w *wording) sentenceSpan(offset int) span {
	if w.last.known && w.last.offset == offset {
		return w.last.span
	}
	s := w.between(span{max(0, offset-before), min(len(w.text), offset+after)}, offset)
	if offset < w.front {
		s = w.entry(s, offset)
	}
	// A heading is a sentence of its own, even directly above the next sentence.
	if s.start > 0 && w.text[s.start-1] == '#' {
		if i := strings.IndexByte(w.text[s.start:offset], '\n'); i >= 0 {
			s.start += i + 1
		}
	}
	w.last = sentence{offset, true, s}
	return s
}

// between narrows s to the text between the stops around offset. It looks for each kind
// of stop in the span that the kinds before it left.
func (w *wording) between(s span, offset int) span {
	var room [64]int
	places := room[:0]
	for i := s.start; i < s.end; i++ {
		if ending[w.text[i]] {
			places = append(places, i)
		}
	}
	for _, stop := range stops {
		for i := len(places) - 1; i >= 0 && places[i] >= s.start; i-- {
			if end := places[i] + len(stop); end <= offset && w.text[places[i]:end] == stop {
				s.start = end
				break
			}
		}
		for _, at := range places {
			if end := at + len(stop); at >= offset && end <= s.end && w.text[at:end] == stop {
				s.end = at
				break
			}
		}
	}
	return s
}

// entry narrows s to the entry of the front matter that holds offset: a line that
// begins without a blank, and those below it that do.
func (w *wording) entry(s span, offset int) span {
	for i := offset; i > s.start+1; i-- {
		if w.text[i-1] == '\n' && w.text[i] != ' ' && w.text[i] != '\t' {
			s.start = i
			break
		}
	}
	for i := offset; i+1 < s.end; i++ {
		if w.text[i] == '\n' && w.text[i+1] != ' ' && w.text[i+1] != '\t' {
			s.end = i
			break
		}
	}
	return s
}

// sentence returns the text of sentenceSpan.
func (w *wording) sentence(offset int) string {
	s := w.sentenceSpan(offset)
	return w.text[s.start:s.end]
}

// sentences returns the sentence around offset and the next one.
func (w *wording) sentences(offset int) string {
	s := w.sentenceSpan(offset)
	if s.end < len(w.text) {
		next := w.sentenceSpan(min(s.end+2, len(w.text)))
		s.end = max(s.end, min(next.end, s.end+before))
	}
	return w.text[s.start:s.end]
}

var (
	// away matches an address outside after a word of direction.
	away = said(`\b(?:to|into|onto|via|through|at|under|in copy to|with|using|cc|bcc)\b[\s*_~` + "`" + `"'<(\[]*(?:[\w'’-]+[\s*_~` + "`" + `"'<(\[:]+){0,5}?((?:https?|wss?|ftps?|sftp|tcp)://[^\s"'` + "`" + `)>\]]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}|(?:s3|gs|ssh)://[\w.-]+|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}|[\w.-]+\.onion|(?:[\w-]+\.)+(?:com|net|org|io|dev|app|xyz|top|site|ru|cn|me|co|cc|info|online|cloud|link|sh|rs)/[\w/?=&.-]+)`)
	// vague matches a destination that names no address.
	vague = said(`\bto (?:our|my|this|that|an? external|an? remote|a third-party|the following|the author's|the remote|the collection|the collector|the attacker's|another) (?:\w+ ){0,2}?(?:servers?|services?|endpoints?|address(?:es)?|urls?|apis?|webhooks?|inbox|bucket|account|channel|bot|machine|host)\b|\b(?:to|via|through) (?:a |the |an |our |my )*(?:webhook|telegram|discord|pastebin)\b|\b(?:to|in|into|as) (?:a |the |an |our |my )*(?:public |secret )?gist\b`)
	// acts matches things that do harm in secret or without asking.
	acts = said(`https?://|[\w.+-]+@[\w-]+\.[a-z]{2,}|\b(?:credentials?|api[ _-]?keys?|passwords?|tokens?|secrets?|exfil\w*|webhook|upload\w*|secretly|silently|ssh|wallets?|payments?|pays?|paid|money|invoices?|transfers?|bank|accounts?|delet(?:e|es|ed|ing)|drop all|wipe|encrypt|permissions?|admin|sudo|curl|wget|crontab|forward\w*|bcc|logs?|hidden|background|keep(?:s)? running)\b`)
)

// outsideAddress returns the outside address that a sentence directs something to,
// or "". Local and reserved addresses do not count.
func outsideAddress(sentence string) string {
	for _, m := range away.FindAllStringSubmatch(sentence, 8) {
		host := m[1]
		if _, rest, ok := strings.Cut(host, "://"); ok {
			host = rest
		}
		name := strings.ToLower(host)
		if i := strings.IndexAny(name, "/:?#"); i >= 0 {
			name = name[:i]
		}
		if name == "localhost" || ownAddress(name) {
			continue
		}
		return m[1]
	}
	return ""
}
