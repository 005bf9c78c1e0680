package scan

import (
	"strings"
	"unicode"

	"github.com/assent-dev/assent/engine/base/diag"
)

// ruleLostSafeguard is looked up by New.
const ruleLostSafeguard = "lost-safeguard"

// safeguard matches a sentence that holds its reader back.
var safeguard = said(`\b(?:never|do not|don['’]t|must not|may not|should not|cannot|not allowed|nothing|no \w+ (?:is|are|may|without)|out of bounds|only|ask(?:s|ed)?|confirm\w*|approv\w*|wait(?:s)? for|stop|a person|people of|a human|maintainer|organi[sz]er|manager|team lead|verif(?:y|ies|ied)|check(?:s|ed)?|review(?:s|ed)?|warn(?:s)?|mask|redact|encrypt\w*|signatures?|read-only|at most|limit(?:s|ed)?|up to|is data|up to the user|let the (?:user|person)|tell the user|suggested|leave (?:it|them) in|need(?:s)? (?:the|a) )\b`)

// firmly matches a ban, a question or a limit, which wording cannot carry without.
var firmly = said(`\b(?:never|not|don['’]t|cannot|nothing|no|only|ask(?:s|ed)?|confirm\w*|approv\w*|wait|stop|person|human|at most|limit(?:s|ed)?|up to)\b`)

// statement is a sentence with the words that carry its meaning.
type statement struct {
	span
	doc   *document
	words map[string]bool
	// guard says that the statement holds the agent back, firm that it does so by a ban
	// or a question.
	guard, firm bool
}

// lostSafeguards returns one finding for each safeguard of was that no sentence
// of is says any more, however it is worded.
func lostSafeguards(was, is []*document) diag.List {
	var r deltaRule
	for _, candidate := range rules().deltas() {
		if candidate.ID == ruleLostSafeguard {
			r = candidate
		}
	}
	now := statementsOf(is)
	have := map[string]bool{}
	for _, s := range now {
		have[strings.Join(strings.Fields(s.doc.text[s.start:s.end]), " ")] = true
	}
	var out diag.List
	for _, old := range statementsOf(was) {
		text := strings.Join(strings.Fields(old.doc.text[old.start:old.end]), " ")
		if !old.guard || len(old.words) < 2 || have[text] {
			continue
		}
		nearest, kept := nearestOf(old, now)
		if kept {
			continue
		}
		out.Add(r.lost(old, nearest, is))
	}
	return out
}

// nearestOf returns the sentence of now that shares most words with old, and whether
// it shares enough and still holds the agent back.
func nearestOf(old statement, now []statement) (best *statement, kept bool) {
	most := 0.0
	for i := range now {
		shared := 0
		for w := range old.words {
			if now[i].words[w] {
				shared++
			}
		}
		share := float64(shared) / float64(len(old.words))
		if now[i].guard && share >= 0.5 || share >= 0.7 && !old.firm && !now[i].firm {
			return &now[i], true
		}
		if share > most {
			most, best = share, &now[i]
		}
	}
	return best, false
}

// lost returns a diagnostic at the sentence nearest to the lost safeguard, or else at
// the safeguard's old offset in its file, or at the beginning of a file that is gone.
func (r deltaRule) lost(old statement, nearest *statement, is []*document) diag.Diagnostic {
	d, at := old.doc, 0
	for _, candidate := range is {
		if candidate.path == old.doc.path {
			d, at = candidate, min(old.start, max(0, len(candidate.text)-1))
		}
	}
	if nearest != nil {
		d, at = nearest.doc, nearest.start
	}
	pos := d.pos(at)
	text := old.doc.text[old.start:old.end]
	return diag.Diagnostic{
		Rule: r.ID, Severity: r.Severity, Pos: pos, Message: r.Summary + ": " + Visible(text),
		Fix: r.Fix, Why: r.Why, Evidence: Visible(text), Confidence: 0.6,
	}
}

// statementsOf divides the prose of documents into sentences.
func statementsOf(docs []*document) []statement {
	var out []statement
	for _, d := range docs {
		for _, r := range d.regions {
			if r.place&(prose|plain) == 0 {
				continue
			}
			for at := r.start; at < r.end; {
				s := nextSentence(d.text, at, r.end)
				at = s.end
				text := d.text[s.start:s.end]
				if words := contentWords(text); len(words) > 0 {
					out = append(out, statement{s, d, words, safeguard.MatchString(text), firmly.MatchString(text)})
				}
			}
		}
	}
	return out
}

// nextSentence returns the sentence or item that begins at or after at.
func nextSentence(text string, at, limit int) span {
	for at < limit && (unicode.IsSpace(rune(text[at])) || strings.IndexByte("-*#>|", text[at]) >= 0) {
		at++
	}
	for i := at; i < limit; i++ {
		switch text[i] {
		case '.', '!', '?', ';', ':':
			if i+1 == limit || text[i+1] == ' ' || text[i+1] == '\n' {
				return span{at, i + 1}
			}
		case '\n':
			rest := strings.TrimLeft(text[i+1:limit], " \t")
			if rest == "" || rest[0] == '\n' || strings.IndexByte("-*+#|>`", rest[0]) >= 0 || rest[0] >= '0' && rest[0] <= '9' {
				return span{at, i + 1}
			}
		}
	}
	return span{at, limit}
}

// contentWords returns the beginnings of the longer words of text, lower-case,
// so that forms of one word are one.
func contentWords(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		switch w {
		case "the", "and", "for", "with", "that", "this", "you", "your", "are", "its", "from", "not", "but", "has", "have", "any", "all", "will", "when", "then", "than", "into", "never", "may", "must", "can", "was", "were", "which", "what", "they", "them", "their", "before", "after", "only", "should", "nobody", "nothing", "without", "some", "such", "also", "does":
			continue
		}
		if len(w) >= 3 {
			out[w[:min(len(w), 4)]] = true
		}
	}
	return out
}
