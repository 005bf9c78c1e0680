package program

import (
	"strings"
	"unicode/utf8"
)

// lexPython appends the tokens of Python (Python language reference, chapter 2).
// Text that is not valid Python is split too: an unclosed string ends with its
// line, an unclosed triple-quoted string with the text.
func lexPython(out []token, text string) []token {
	l := pythonLexer{text: text, out: out}
	for l.i < len(text) {
		l.next()
	}
	return append(l.out, token{kind: tokenLine, at: len(text), end: len(text)})
}

type pythonLexer struct {
	text  string
	i     int
	depth int // open brackets: a newline inside of them ends nothing
	out   []token
}

func (l *pythonLexer) next() {
	c := l.text[l.i]
	switch {
	case c == ' ' || c == '\t' || c == '\r' || c == '\f':
		l.i++
	case c == '\\' && l.i+1 < len(l.text) && (l.text[l.i+1] == '\n' || l.text[l.i+1] == '\r'):
		l.i += 2
	case c == '\n':
		l.newline()
	case c == '#':
		if n := strings.IndexByte(l.text[l.i:], '\n'); n >= 0 {
			l.i += n
		} else {
			l.i = len(l.text)
		}
	case c == '"' || c == '\'':
		l.quoted(l.i, "")
	case wordStart(c):
		l.word()
	case c >= '0' && c <= '9':
		start := l.i
		for l.i < len(l.text) && (wordStart(l.text[l.i]) || l.text[l.i] >= '0' && l.text[l.i] <= '9' || l.text[l.i] == '.') {
			l.i++
		}
		l.add(tokenNumber, start, l.text[start:l.i])
	default:
		l.operator()
	}
}

func wordStart(c byte) bool { return c == '_' || letter(rune(c)) || c >= utf8.RuneSelf }

func (l *pythonLexer) add(k tokenKind, start int, text string) {
	l.out = append(l.out, token{kind: k, text: text, at: start, end: l.i})
}

func (l *pythonLexer) newline() {
	start := l.i
	l.i++
	if l.depth > 0 && !l.statementFollows() {
		return
	}
	l.depth = 0
	l.add(tokenLine, start, "\n")
}

// statementFollows reports whether an open bracket must have been forgotten: the
// next line begins with a word that only begins statements.
func (l *pythonLexer) statementFollows() bool {
	rest := l.text[l.i:]
	for _, word := range []string{"def ", "class ", "import ", "from ", "return ", "with ", "while "} {
		if strings.HasPrefix(rest, word) {
			return true
		}
	}
	return false
}

func (l *pythonLexer) word() {
	start := l.i
	for l.i < len(l.text) && (wordStart(l.text[l.i]) || l.text[l.i] >= '0' && l.text[l.i] <= '9') {
		l.i++
	}
	word := l.text[start:l.i]
	if l.i < len(l.text) && (l.text[l.i] == '"' || l.text[l.i] == '\'') && len(word) <= 2 && strings.Trim(strings.ToLower(word), "rbfut") == "" {
		l.quoted(start, strings.ToLower(word))
		return
	}
	l.add(tokenName, start, foldName(word))
}

// foldName undoes mathematical and full-width letters, which Python reads as
// plain ones (NFKC); only names that have such letters cost anything.
func foldName(word string) string {
	for i := range len(word) {
		if word[i] >= utf8.RuneSelf {
			return foldCompat(word)
		}
	}
	return word
}

func (l *pythonLexer) quoted(start int, prefix string) {
	quote := l.text[l.i : l.i+1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(l.text[l.i:], triple) {
		quote = triple
	}
	l.i += len(quote)
	from := l.i
	for l.i < len(l.text) && !strings.HasPrefix(l.text[l.i:], quote) {
		if l.text[l.i] == '\n' && len(quote) == 1 {
			break
		}
		if l.text[l.i] == '\\' && l.i+1 < len(l.text) {
			l.i++
		}
		l.i++
	}
	l.i = min(l.i, len(l.text))
	body := l.text[from:l.i]
	if strings.HasPrefix(l.text[l.i:], quote) {
		l.i += len(quote)
	}
	hid := false
	if !strings.Contains(prefix, "r") {
		body, hid = unescape(body)
	}
	kind := tokenString
	if strings.ContainsAny(prefix, "ft") {
		kind = tokenTemplate
	}
	l.out = append(l.out, token{kind: kind, text: body, at: start, end: l.i, hid: hid})
}

func (l *pythonLexer) operator() {
	start := l.i
	two := l.text[l.i:min(len(l.text), l.i+2)]
	switch two {
	case "**", "//", "==", "!=", "<=", ">=", "->", ":=", "+=", "-=", "*=", "/=", "|=", "&=", "%=", "^=", "<<", ">>":
		l.i += 2
	default:
		l.i++
	}
	switch op := l.text[start:l.i]; op {
	case "(", "[", "{":
		l.depth++
	case ")", "]", "}":
		l.depth = max(0, l.depth-1)
	case ";":
		l.add(tokenLine, start, ";")
		return
	}
	l.add(tokenOperator, start, l.text[start:l.i])
}
