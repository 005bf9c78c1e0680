package link

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/assent-dev/assent/engine/registry/index"
)

// named matches words with a capital letter within a sentence: names, days and months.
var named = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^.!?:;\s"]\s+(\p{Lu}[\p{Ll}'’-]+)`) })

// Names returns the names in a mission, in lower case. It returns none where most words begin with a capital letter.
func Names(mission string) map[string]bool {
	found, out := named().FindAllStringSubmatch(mission, -1), map[string]bool{}
	if 2*len(found) < len(strings.Fields(mission)) {
		for _, m := range found {
			out[strings.ToLower(m[1])] = true
		}
	}
	return out
}

// quoted matches what stands in quotation marks.
var quoted = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("\"[^\"]*\"|`[^`]*`|“[^”]*”") })

// Kind identifies a step independently of its wording: the sorted stems of its verb and object. It leaves out phrases
// behind the object (for, of, at, with), names, numbers, ids, quotations, adverbs and function words.
func Kind(step string, names map[string]bool) string {
	g, object := grammar(), 0
	words := strings.Fields(strings.ToLower(quoted().ReplaceAllString(step, " ")))
	if comma := strings.IndexByte(step, ','); comma > 0 && len(words) > 0 && g.closed[words[0]] && !g.leads[words[0]] && !g.objects[words[0]] { // "for Ann, bake bread"
		words = strings.Fields(strings.ToLower(quoted().ReplaceAllString(step[comma+1:], " ")))
	}
	for len(words) > 1 && (g.leads[words[0]] || adverb(words[0])) {
		words = words[1:]
	}
	var kept []string
	for _, w := range words {
		plain := strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
		switch {
		case g.closed[plain] && !g.objects[plain]:
			if len(kept)+object > 1 {
				return strings.Join(index.Terms(strings.Join(kept, " ")), " ")
			}
		case names[plain] || strings.HasSuffix(plain, "'s") || strings.HasSuffix(plain, "’s"):
			object = 1
		case adverb(plain) || g.spans[plain] || g.objects[plain] || strings.ContainsFunc(plain, func(r rune) bool { return r != '-' && !unicode.IsLetter(r) }):
		case plain != "":
			kept = append(kept, plain)
		}
		if strings.ContainsAny(w[len(w)-1:], ",:;)") && len(kept)+object > 1 {
			break
		}
	}
	return strings.Join(index.Terms(strings.Join(kept, " ")), " ")
}
