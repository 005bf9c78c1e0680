package scan

import (
	"regexp"
	"strings"
	"sync"
)

// expression is a regular expression that is compiled when it is first needed: most
// files need none, and a program that does not scan should not pay for them. Its
// methods are those of regexp.Regexp; an automaton answers for it where nothing
// matches.
type expression struct {
	source string
	// words says that a blank in source stands for what may stand between two words.
	words bool

	compile func() *regexp.Regexp
	prepare func() *recipe
	// mu guards idle, the automata that nobody uses just now.
	mu   sync.Mutex
	idle []*automaton
}

// expr is the expression as it stands.
func expr(source string) *expression {
	e := &expression{source: source}
	e.compile = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(e.String()) })
	e.prepare = sync.OnceValue(func() *recipe { return newRecipe(e.String()) })
	return e
}

// said is a phrase: a blank in source stands for what may stand between two words of
// one sentence, a line break or emphasis among it.
func said(source string) *expression {
	e := expr(source)
	e.words = true
	return e
}

// String returns the expression as package regexp takes it.
func (e *expression) String() string {
	if !e.words {
		return e.source
	}
	var b strings.Builder
	b.WriteString(`(?i)`)
	class := false
	for i := range len(e.source) {
		switch c := e.source[i]; {
		case c == '[' && !class, c == ']' && class:
			class = !class
			b.WriteByte(c)
		case c == ' ' && !class:
			b.WriteString("(?:[\\s*_~`\"'>]+)")
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// automaton returns one for the caller alone, who gives it back with done.
func (e *expression) automaton() *automaton {
	r := e.prepare()
	e.mu.Lock()
	defer e.mu.Unlock()
	if n := len(e.idle); n > 0 {
		a := e.idle[n-1]
		e.idle = e.idle[:n-1]
		return a
	}
	return newAutomaton(r)
}

func (e *expression) done(a *automaton) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.idle = append(e.idle, a)
}

// may reports whether e may match in s; no is certain.
func (e *expression) may(s string) bool {
	a := e.automaton()
	defer e.done(a)
	return a.may(s)
}

// within appends the parts of the spans of text in which e may match.
func (e *expression) within(text string, spans []span, parts []span) []span {
	a := e.automaton()
	defer e.done(a)
	for _, s := range spans {
		parts = a.within(text, s, parts)
	}
	return parts
}

// The methods of regexp.Regexp, of which each says nothing sooner where e cannot match.

func (e *expression) MatchString(s string) bool { return e.may(s) && e.compile().MatchString(s) }

func (e *expression) FindStringIndex(s string) []int {
	if !e.may(s) {
		return nil
	}
	return e.compile().FindStringIndex(s)
}

func (e *expression) FindStringSubmatch(s string) []string {
	if !e.may(s) {
		return nil
	}
	return e.compile().FindStringSubmatch(s)
}

func (e *expression) FindStringSubmatchIndex(s string) []int {
	if !e.may(s) {
		return nil
	}
	return e.compile().FindStringSubmatchIndex(s)
}

func (e *expression) FindAllStringIndex(s string, n int) [][]int {
	if !e.may(s) {
		return nil
	}
	return e.compile().FindAllStringIndex(s, n)
}

func (e *expression) FindAllStringSubmatch(s string, n int) [][]string {
	if !e.may(s) {
		return nil
	}
	return e.compile().FindAllStringSubmatch(s, n)
}

func (e *expression) FindAllStringSubmatchIndex(s string, n int) [][]int {
	if !e.may(s) {
		return nil
	}
	return e.compile().FindAllStringSubmatchIndex(s, n)
}

func (e *expression) ReplaceAllString(s, with string) string {
	if !e.may(s) {
		return s
	}
	return e.compile().ReplaceAllString(s, with)
}
