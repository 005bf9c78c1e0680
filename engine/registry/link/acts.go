package link

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// conjunction matches an "and" between acts or things. series is set after a comma.
var conjunction = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)(,?)\s+and\s+`) })

// nearby bounds the bytes around an "and" that decide about it.
const nearby = 120

// english are the words that tell an act from a thing.
type english struct {
	// verbs have no noun of the same form. closed are neither nouns nor verbs. objects begin the object of a verb, or are one.
	// asks begin a question or a subordinate clause. made and describing match the endings of a verb and of an adjective.
	verbs, closed, objects, asks, particles, leads, spans map[string]bool
	made, describing                                      *regexp.Regexp
}

var grammar = sync.OnceValue(func() english {
	set := func(lists ...string) map[string]bool {
		out := map[string]bool{}
		for _, w := range strings.Fields(strings.Join(lists, " ")) {
			out[w] = true
		}
		return out
	}
	const (
		objects = `the a an my our your his her its their these those this it them me us him all each every any some `
		asks    = `if whether how what why `
		leads   = `please can could would will you i we want need like to help me us let's just also first now then next `
	)
	return english{
		objects: set(objects), asks: set(asks), leads: set(leads), particles: set(`up out off down away back`), spans: set(`day week month quarter year hour minute second time morning evening night`),
		closed: set(objects, asks, leads, `that which who whom whose where when while because so than as at by for from in into of off on onto or over per to under until upon with without about after before against
			between during through is are was were be been being has have had do does did may might must shall should not no nor but yet both either neither other another such same more most less least few
			many much one two three several he she they there here very too only even again vice`),
		verbs: set(`accept achieve acquire activate add adjust allow analyse analyze announce append apply approve arrange ask attach avoid become begin bring browse build buy calculate choose collect combine
			compare compile compress compute configure confirm connect consider convert create decide declare decode decrypt define delete deliver deploy describe detect determine develop disable discover
			discuss display distribute divide eat embed enable encode encrypt enlarge ensure evaluate examine execute explain explore extend extract fetch find gather generate get give hide hire
			identify ignore improve include inform insert inspect install integrate investigate invite invoke keep learn listen maintain make manage measure migrate mount negotiate notify obtain observe
			organise organize overwrite parse perform populate prepare prevent propose provide publish put read receive recommend reconcile reduce refactor refine reject remember remind remove rename render
			repair reply require resize resolve respond restore retrieve rewrite save see select sell send serve set show simulate solve speak submit subscribe suggest take teach tell transcribe
			transform translate tell understand unite unpack unsubscribe unzip upgrade validate verify write`),
		made:       regexp.MustCompile(`(?:.[^n]ify|...[^p]ize|...(?:a[lnr]|on|im|or|er|i[clt]|om)ise)$`),
		describing: regexp.MustCompile(`(?:[ae]nt|al|ive|ous|ble|ic|ful|less|ary|ory)$`),
	}
})

// verb reports whether a word can be nothing but a verb.
func (g english) verb(w string) bool {
	return g.verbs[w] || g.verbs[strings.TrimPrefix(w, "re")] || g.made.MatchString(w)
}

// bare reports whether a word may be the imperative of a verb: no name, plural, participle or function word.
func (g english) bare(w string) bool {
	for _, r := range w {
		if !unicode.IsLower(r) && r != '-' {
			return false
		}
	}
	plural := strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us")
	return len(w) > 1 && !plural && !g.closed[w] && !strings.HasSuffix(w, "ing")
}

// act reports whether a text begins with an imperative: a word that is always a verb, or one that is
// followed by what follows no noun, such as an article or a name.
func (g english) act(text string) bool {
	words := strings.Fields(text[:min(len(text), nearby)])
	for len(words) > 1 && (g.leads[strings.TrimSuffix(words[0], ",")] || adverb(words[0])) {
		words = words[1:]
	}
	if len(words) < 2 || !g.bare(words[0]) {
		return false
	}
	if g.verb(words[0]) {
		return true
	}
	next := words[1:]
	if g.particles[next[0]] && len(next) > 1 {
		next = next[1:]
	}
	if len(next) > 1 && g.spans[strings.Trim(next[1], ",.")] { // "lunch and dinner every day"
		return false
	}
	first, _ := utf8.DecodeRuneInString(next[0])
	return g.objects[next[0]] || g.asks[next[0]] || unicode.IsUpper(first) && !g.describing.MatchString(words[0])
}

func adverb(w string) bool {
	w = strings.TrimSuffix(w, ",")
	return strings.HasSuffix(w, "ly") && !strings.HasSuffix(w, "ply")
}

// alone returns the verbs of a text that has nothing else, such as "please download, unpack": their
// object follows. ok is false for any other text.
func (g english) alone(text string) (verbs []string, ok bool) {
	if len(text) > nearby {
		return nil, false
	}
	words := strings.Fields(text)
	for len(words) > 1 && (g.leads[strings.ToLower(words[0])] || adverb(words[0])) {
		words = words[1:]
	}
	for i, w := range words {
		if i == 0 {
			w = strings.ToLower(w)
		}
		verb, comma := strings.CutSuffix(w, ",")
		if n := len(verbs); n > 0 && g.particles[w] {
			verbs[n-1] += " " + w
			continue
		}
		last := i == len(words)-1 || i == len(words)-2 && g.particles[words[i+1]]
		if comma == last || !g.bare(verb) {
			return nil, false
		}
		verbs = append(verbs, verb)
	}
	return verbs, len(verbs) > 0
}

// acts splits a sentence at each "and" that an imperative follows. An object that several verbs share
// goes to each: "download and unpack the archive" is "download the archive", "unpack the archive".
func acts(sentence string) (out []string) {
	g, begin := grammar(), 0
	for _, at := range conjunction().FindAllStringSubmatchIndex(sentence, -1) {
		before, after := sentence[begin:at[0]], sentence[at[1]:min(len(sentence), at[1]+maxStep)]
		words, act := strings.Fields(after[:min(len(after), nearby)]), g.act(after)
		verbs, alone := g.alone(before)
		switch {
		case alone && len(words) > 1 && (act || g.verb(verbs[0]) && g.bare(words[0])):
			object := after[len(words[0]):]
			if g.particles[words[1]] {
				object = strings.TrimPrefix(strings.TrimSpace(object), words[1])
			}
			if next := conjunction().FindStringIndex(object); next != nil {
				object = object[:next[0]]
			}
			for _, v := range verbs {
				out = append(out, v+object)
			}
		case at[2] < at[3] && !act && (len(words) == 0 || g.objects[words[0]] || g.series(before)), at[2] == at[3] && (!act || g.verb(before[strings.LastIndexAny(before, " ,")+1:])):
			continue
		default:
			out = append(out, before)
		}
		begin = at[1]
	}
	return append(out, sentence[begin:])
}

// series reports whether a text ends with an item of a list of things.
func (g english) series(text string) bool {
	at := strings.LastIndex(text, ", ")
	return at >= 0 && !g.act(text[at+2:])
}
