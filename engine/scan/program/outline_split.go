package program

import (
	"strings"
)

// stretch is a piece of a text, end exclusive.
type stretch struct{ start, end int }

// mostQuoted is how far behind a quotation mark its end is looked for, in bytes: in
// an expression a mark may stand by itself.
const mostQuoted = 4000

// splitter divides a program into statements.
type splitter struct {
	text  string
	lang  Language
	i     int
	start int
	depth int
	// here is the word that ends a text of lines which the statement began.
	here string
	out  []stretch
}

// statements divides text at the ends of lines, at semicolons and around blocks, but
// not inside of brackets, strings and texts of lines.
func statements(text string, lang Language) []stretch {
	s := &splitter{text: text, lang: lang}
	for s.i < len(text) && len(s.out) <= maxOutline {
		s.next()
	}
	s.end(len(text))
	return s.out
}

// end closes the statement before offset.
func (s *splitter) end(offset int) {
	if strings.TrimSpace(s.text[s.start:offset]) != "" {
		s.out = append(s.out, stretch{s.start, offset})
	}
	s.start, s.depth = offset, 0
}

func (s *splitter) next() {
	c := s.text[s.i]
	switch {
	case s.comment():
	case c == '\\' || c == '`' && s.lang == PowerShell:
		s.i = min(len(s.text), s.i+2)
	case c == '@' && s.lang == PowerShell && s.i+1 < len(s.text) && (s.text[s.i+1] == '\'' || s.text[s.i+1] == '"'):
		s.skipTo("\n"+s.text[s.i+1:s.i+2]+"@", 3)
	case c == '\'' && s.lang == Compiled && !s.closedOnLine():
		s.i++ // a lifetime of Rust's
	case c == '"' || c == '\'' || c == '`':
		s.quoted(c)
	case c == '<' && s.lang != PowerShell && strings.HasPrefix(s.text[s.i:], "<<"):
		s.lines()
	case c == '(' || c == '[':
		s.depth++
		s.i++
	case c == ')' || c == ']':
		s.depth = max(0, s.depth-1)
		s.i++
	case c == '{' && (s.depth > 0 || s.subscript()):
		s.depth++
		s.i++
	case c == '}' && s.depth > 0:
		s.depth--
		s.i++
	case c == ';' && s.depth == 0, c == '{', c == '}':
		s.end(s.i)
		s.i++
	case c == '\n':
		s.newline()
	default:
		s.i++
	}
}

// subscript reports whether the brace at i belongs to the word in front of it.
func (s *splitter) subscript() bool {
	if s.i == 0 {
		return false
	}
	c := s.text[s.i-1]
	switch s.lang {
	case Compiled: // a literal: the braces of blocks have a blank in front
		return c == ']' || c == '}' || c == ',' || letter(rune(c))
	case Ruby: // a block of one line belongs to the call in front of it
		line, _, _ := strings.Cut(s.text[s.i:min(len(s.text), s.i+mostQuoted)], "\n")
		return c == '#' || strings.Contains(line, "}")
	}
	return c == '>' || c == '$' || c == '@' || c == '%' || c == '#' || s.lang == Perl && (c == '_' || letter(rune(c)))
}

// closedOnLine reports whether the quotation mark at i has its fellow on the same line.
func (s *splitter) closedOnLine() bool {
	line, _, _ := strings.Cut(s.text[s.i+1:min(len(s.text), s.i+mostQuoted)], "\n")
	return strings.Contains(line, "'")
}

// newline ends a statement that the next line does not go on with.
func (s *splitter) newline() {
	if s.here != "" {
		word := s.here
		s.here = ""
		s.skipTo("\n"+word, 1)
		for s.i < len(s.text) && s.text[s.i-1] != '\n' && s.text[s.i] != '\n' {
			s.i++
		}
		s.end(s.i)
		return
	}
	next := strings.TrimLeft(s.text[s.i:min(len(s.text), s.i+200)], " \t\r\n")
	line := strings.TrimRight(s.text[s.start:s.i], " \t\r")
	goesOn := strings.HasPrefix(next, ".") && !strings.HasPrefix(next, "..") || strings.HasPrefix(next, "->") || strings.HasPrefix(next, "|") ||
		strings.HasSuffix(line, ",") || strings.HasSuffix(line, "|") || strings.HasSuffix(line, " .") || strings.HasSuffix(line, "+") || strings.HasSuffix(line, "=") || strings.HasSuffix(line, "`")
	if s.depth == 0 && !goesOn || s.i-s.start > mostQuoted {
		s.end(s.i)
	}
	s.i++
}

// comment skips one, if it begins here.
func (s *splitter) comment() bool {
	rest := s.text[s.i:]
	lineStart := s.i == 0 || s.text[s.i-1] == '\n'
	switch {
	case strings.HasPrefix(rest, "<#") && s.lang == PowerShell:
		s.skipTo("#>", 2)
	case strings.HasPrefix(rest, "/*") && (s.lang == PHP || s.lang == Compiled):
		s.skipTo("*/", 2)
	case lineStart && strings.HasPrefix(rest, "=begin") && s.lang == Ruby:
		s.skipTo("\n=end", 1)
	case lineStart && (strings.HasPrefix(rest, "=pod") || strings.HasPrefix(rest, "=head") || strings.HasPrefix(rest, "=over")) && s.lang == Perl:
		s.skipTo("\n=cut", 1)
	case rest[0] == '#' && s.lang != Compiled && (s.i == 0 || strings.IndexByte(" \t\n\r;", s.text[s.i-1]) >= 0), strings.HasPrefix(rest, "//") && (s.lang == PHP || s.lang == Compiled) && (s.i == 0 || s.text[s.i-1] != ':'):
		s.end(s.i)
		n := strings.IndexByte(rest, '\n')
		if n < 0 {
			n = len(rest)
		}
		s.i += n
		s.start = s.i
		return true
	default:
		return false
	}
	s.start = s.i
	return true
}

// skipTo goes on behind the next mark, or to the end.
func (s *splitter) skipTo(mark string, from int) {
	from = min(len(s.text), s.i+from-1)
	if n := strings.Index(s.text[from:], mark); n >= 0 {
		s.i = from + n + len(mark)
		return
	}
	s.i = len(s.text)
}

func (s *splitter) quoted(mark byte) {
	for j := s.i + 1; j < len(s.text) && j < s.i+mostQuoted; j++ {
		switch {
		case s.text[j] == '\\' || s.text[j] == '`' && s.lang == PowerShell:
			j++
		case s.text[j] == mark:
			s.i = j + 1
			return
		}
	}
	s.i++
}

var hereWord = late(`^<<<?[~-]?\s*["']?([A-Z_][A-Z_0-9]*)["']?`)

// lines notes the word that ends a text of lines.
func (s *splitter) lines() {
	if m := hereWord().FindStringSubmatch(s.text[s.i:min(len(s.text), s.i+60)]); m != nil {
		s.here = m[1]
		s.i += len(m[0])
		return
	}
	s.i += 2
}
