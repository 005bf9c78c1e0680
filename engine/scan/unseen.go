package scan

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/plaintext"
)

// Passage is a stretch of a text that a reader of the rendered page does not see and
// a model does.
type Passage struct {
	diag.Pos
	// Kind says how it is hidden; see the constants.
	Kind string `json:"kind"`
	// Text is the text of the passage, decoded if it is encoded, shortened and with
	// every character visible.
	Text string `json:"text"`
}

// The kinds of passages that are not seen.
const (
	UnseenComment    = "comment"
	UnseenCollapsed  = "collapsed"
	UnseenStyled     = "styled away"
	UnseenCharacters = "invisible characters"
	UnseenEncoded    = "encoded"
)

// maxPassages bounds the passages that are listed for one text.
const maxPassages = 200

// Unseen lists the passages that a text holds and does not show, in the order of the
// text. It does not judge them: rules and readers do. It returns nil if text is not
// valid UTF-8.
func Unseen(path string, text []byte) []Passage {
	if !utf8.Valid(text) {
		return nil
	}
	d := newDocument(path, string(text), nil)
	var out []Passage
	add := func(at int, kind, what string) {
		out = append(out, Passage{d.pos(at), kind, Visible(what)})
	}
	for _, r := range d.regions {
		if r.place == hidden {
			add(r.start, UnseenComment, strings.TrimSuffix(strings.TrimPrefix(d.text[r.start:min(r.end, r.start+4*maxEvidence)], "<!--"), "-->"))
		}
	}
	for _, way := range unseenMarkup() {
		for _, m := range way.re.FindAllStringSubmatchIndex(d.text, maxPassages) {
			if d.placeOf(m[0])&(prose|hidden) == prose {
				add(m[0], way.kind, d.text[m[2]:m[3]])
			}
		}
	}
	for _, run := range unseenRuns(d) {
		line := d.lineAround(run.start)
		add(run.start, UnseenCharacters, fmt.Sprintf("%d in: %s", utf8.RuneCountInString(d.text[run.start:run.end]), d.text[max(line.start, run.start-30):min(line.end, run.end+60)]))
	}
	for _, b := range d.blobs() {
		add(b.start, UnseenEncoded, string(b.decoded[:min(len(b.decoded), 4*maxEvidence)]))
	}
	order.Stable(out, func(a, b Passage) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return out[:min(len(out), maxPassages)]
}

type unseenWay struct {
	kind string
	re   *expression
}

// unseenMarkup are ways by which Markdown and HTML keep text from the page. The first
// group is the text.
func unseenMarkup() []unseenWay {
	return []unseenWay{
		{UnseenCollapsed, expr(`(?is)<details(?:\s[^>]*)?>(.{0,640}?)(?:</details>|$)`)},
		{UnseenComment, expr(`(?m)^[ ]{0,3}\[(?://|comment|_|\.)\]:[ \t]*(?:#|<>|\S+)[ \t]*(.{0,640})$`)},
		{UnseenStyled, expr(`(?is)<\w+[^>]{0,200}\b(?:hidden\b|style\s*=\s*["'][^"']{0,200}(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*(?:0(?:px|pt|r?em|%)?|0?\.\d+(?:px|pt))\s*[;"'!]|opacity\s*:\s*0|color\s*:\s*(?:white|#fff|transparent)))[^>]{0,200}>(.{0,640}?)<`)},
	}
}

// unseenRuns returns runs of characters that take no room or turn the direction of text:
// all but a byte order mark at the beginning, selectors after an emoji, and joiners
// between letters and emoji, where they belong.
func unseenRuns(d *document) []span {
	var out []span
	special(d, func(at int, r rune) {
		size := utf8.RuneLen(r)
		before, _ := utf8.DecodeLastRuneInString(d.text[:at])
		_, belongs := map[rune]bool{0x200C: true, 0x200D: true, 0xFE0E: true, 0xFE0F: true}[r]
		switch {
		case !plaintext.Unseen(r) && !plaintext.Blank(r) && !plaintext.LineEnd(r) && !unicode.IsControl(r),
			r == 0xFEFF && at == 0,
			belongs && before > 0x2000 && !plaintext.Unseen(before),
			belongs && r <= 0x200D && before >= 0x600 && before < 0x2000:
			return
		case len(out) > 0 && out[len(out)-1].end == at:
			out[len(out)-1].end += size
		case len(out) < maxPassages:
			out = append(out, span{at, at + size})
		}
	})
	return out
}
