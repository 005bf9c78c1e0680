package scan

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"unicode/utf8"
)

// expression is a regular expression that is compiled when it is first needed: most
// files need none, and a program that does not scan should not pay for them. Its
// methods are those of regexp.Regexp; automata answer for it where nothing matches.
type expression struct {
	source string
	// words says that a blank in source matches any separator of two words.
	words bool

	compile func() *regexp.Regexp
	// here and behind match at the beginning of a text and behind its first character.
	here, behind func() *regexp.Regexp
	parse        func() *syntax.Regexp
	// far is how many bytes before its end a match may begin, as far as it is looked at.
	far func() int
	// head says where a match may begin, trying one place after the other. Where that
	// takes too long, gate says whether there may be one.
	head, gate automata
	// exact says that an ASCII text that the automata let through does match.
	exact bool
}

// automata are the automata of one recipe, which is made on first use.
type automata struct {
	prepare  func() *recipe
	anchored bool
	// mu guards idle, the automata that no caller holds.
	mu   sync.Mutex
	idle []*automaton
}

// take returns an automaton for the caller's exclusive use; the caller gives it back.
func (s *automata) take() *automaton {
	r := s.prepare()
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.idle); n > 0 {
		a := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return a
	}
	return newAutomaton(r, s.anchored)
}

func (s *automata) give(a *automaton) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = append(s.idle, a)
}

// expr returns the expression of source, unchanged.
func expr(source string) *expression {
	e := &expression{source: source}
	compiled := func(lead string) func() *regexp.Regexp {
		return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(lead + "(?:" + e.String() + ")") })
	}
	e.compile, e.here, e.behind = compiled(""), compiled(`\A`), compiled(`\A(?s:.)`)
	e.parse = sync.OnceValue(func() *syntax.Regexp {
		re, err := syntax.Parse(e.String(), syntax.Perl)
		if err != nil {
			return everywhere() // compile reports the error
		}
		return re
	})
	e.far = sync.OnceValue(func() int { return min(reachOf(e.parse()), before+after) })
	e.head.anchored = true
	e.head.anchored = true
	e.head.prepare = sync.OnceValue(func() *recipe {
		re, more := relaxed(e.parse())
		e.exact = !more
		return newRecipe(re)
	})
	e.gate.prepare = e.head.prepare
	return e
}

// said returns the expression of a phrase: a blank in source matches any separator of two
// words of one sentence, including a line break or emphasis.
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

// may reports whether e may match in s; no is certain.
func (e *expression) may(s string) bool {
	a := e.head.take()
	defer e.head.give(a)
	return e.mayBegin(a, s)
}

// mayBegin is may for a caller that holds the automaton of heads.
func (e *expression) mayBegin(head *automaton, s string) bool {
	found := false
	if head.begins(s, func(int) bool { found = true; return false }) || found {
		return found
	}
	return e.gateMay(s)
}

// gateMay is may in one pass over s.
func (e *expression) gateMay(s string) bool {
	a := e.gate.take()
	defer e.gate.give(a)
	return a.may(s)
}

// mostVain bounds the places in one text at which a match is tried and does not begin.
// Beyond it one search from the left to the right is cheaper.
const mostVain = 100

// matches is FindAllStringSubmatchIndex, tried only at starts, the offsets in s at which a
// match may begin, in order. If starts is nil, it tries all offsets.
func (e *expression) matches(s string, starts []int, n int) [][]int {
	if starts == nil {
		return e.compile().FindAllStringSubmatchIndex(s, n)
	}
	var found [][]int
	end, vain := 0, 0
	for _, start := range starts {
		if start < end || len(found) == n {
			continue
		}
		re, lead := e.here, 0
		if start > 0 {
			_, lead = utf8.DecodeLastRuneInString(s[:start])
			re = e.behind
		}
		loc := re().FindStringSubmatchIndex(s[start-lead:])
		if loc == nil {
			if vain++; vain > mostVain {
				return e.compile().FindAllStringSubmatchIndex(s, n)
			}
			continue
		}
		for i := range loc {
			if loc[i] >= 0 {
				loc[i] += start - lead
			}
		}
		loc[0] = start
		found = append(found, loc)
		end = loc[1]
	}
	return found
}

// The methods of regexp.Regexp; each returns early if e cannot match.

func (e *expression) MatchString(s string) bool {
	return e.may(s) && (e.exact && ascii(s) || e.compile().MatchString(s))
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

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
