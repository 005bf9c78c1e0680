package conflict

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/registry/index"
)

// Demand is a sentence that demands or forbids something.
type Demand struct {
	// Line is its first line in the body, from 1, Text the sentence.
	Line    int
	Text    string
	Forbids bool
	// About are the words that say what it is about, and those that turn its sense, sorted.
	About string
}

// modal matches the words that demand or forbid.
var modal = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:(must not|mustn['’]t|must never|shall not|should never|never)|((?:(?:must|should|shall) )?always|must|shall))\b|^(?:please )?(do not|don['’]t)\b`)
})

// aside matches what explains a demand rather than limiting it.
var aside = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\s+(?:because|since|so that|otherwise)\b.*|\s+[—–-]\s.*|\s*\(.*?\)`)
})

// turns matches words that change a demand although searches ignore them.
var turns = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:before|after|unless|until|only|if|when|while|not|no|nor|on|off|up|down|in|out|over|under|above|below|other|more|most|less|own|same|too|again)\b`)
})

// limits matches the beginning of a part that limits a demand.
var limits = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\s*(?:and |or |but )?(?:if|when|whenever|unless|until|before|after|without|except|while|for|in|on|only|even|not|during)\b`)
})

// leastWords is how many words a demand is about at least; fewer say too little.
const leastWords = 2

// maxDemands bounds the demands of one skill, the first.
const maxDemands = 200

// Demands returns the first demands of a skill's body: one for each sentence outside of code with one such
// word, and each once.
func Demands(body string) (out []Demand) {
	for _, s := range sentences(body) {
		if len(out) == maxDemands {
			break
		}
		at := modal().FindAllStringSubmatchIndex(s.text, -1)
		if len(at) != 1 || strings.HasSuffix(s.text, "?") || strings.HasSuffix(s.text, ":") {
			continue
		}
		m := at[0]
		rest := s.text[:m[0]] + " " + aside().ReplaceAllString(s.text[m[1]:], "")
		rest = clause(rest)
		about := index.Terms(rest)
		if len(about) < leastWords {
			continue
		}
		about = append(about, turns().FindAllString(strings.ToLower(rest), -1)...)
		slices.Sort(about)
		d := Demand{s.line, s.text, m[2] >= 0 || m[6] >= 0, strings.Join(about, " ")}
		if !slices.ContainsFunc(out, func(o Demand) bool { return o.About == d.About && o.Forbids == d.Forbids }) {
			out = append(out, d)
		}
	}
	return out
}

// clause returns a sentence without the parts after commas, unless they limit it.
func clause(text string) string {
	parts := strings.Split(text, ",")
	kept := parts[:1]
	for i, p := range parts[1:] {
		if limits().MatchString(p) || limits().MatchString(parts[0]) && i == 0 {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, " ")
}

type sentence struct {
	line int
	text string
}

// stop matches the end of a sentence.
var stop = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[.!?;:]+(?:[*_"')\]]*)(?:\s+|$)`) })

// demands reports whether a text may hold a demand: most do not, and expressions take long.
func demands(text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc([]string{"must", "never", "always", "shall", "do not", "don't", "don’t"}, func(w string) bool { return strings.Contains(text, w) })
}

// sentences splits the prose of Markdown that may hold demands: paragraphs and items, without code blocks,
// tables and headings.
func sentences(body string) (out []sentence) {
	var paragraph []string
	begin, fenced := 0, ""
	flush := func() {
		text := strings.Join(paragraph, " ")
		paragraph = nil
		if !demands(text) {
			return
		}
		for len(text) > 0 {
			end := len(text)
			if at := stop().FindStringIndex(text); at != nil {
				end = at[1]
			}
			one := strings.TrimSpace(strings.NewReplacer("*", "", "`", "", "__", "").Replace(text[:end]))
			if one != "" {
				out = append(out, sentence{begin, one})
			}
			text = text[end:]
		}
	}
	for i, line := range strings.Split(body, "\n") {
		trimmed := strings.TrimSpace(line)
		item := strings.TrimSpace(strings.TrimLeft(trimmed, "-*+0123456789.)>[] "))
		fence := trimmed[:min(len(trimmed), 3)]
		switch {
		case fenced != "":
			if fence == fenced {
				fenced = ""
			}
			continue
		case fence == "```" || fence == "~~~":
			flush()
			fenced = fence
			continue
		case trimmed == "", trimmed[0] == '#', trimmed[0] == '|', strings.HasPrefix(line, "\t"):
			flush()
			continue
		case slices.Contains([]string{"- ", "* ", "+ "}, trimmed[:min(len(trimmed), 2)]) || item != trimmed:
			flush()
		}
		if len(paragraph) == 0 {
			begin = i + 1
		}
		paragraph = append(paragraph, item)
	}
	flush()
	return out
}
