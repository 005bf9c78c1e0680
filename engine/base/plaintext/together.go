package plaintext

import (
	"strings"
	"unicode/utf8"
)

// leastSpelled is how many letters of a word have to stand apart, leastSpaced how many of them
// with blanks between, before a line is read as spelled.
const leastSpelled, leastSpaced = 3, 4

// together returns t with the letters joined that stand apart ("i g n o r e", "i-g-n-o-r-e")
// and the words that a hyphen divides at the end of a line, and reports whether t has any.
func together(t Text) (Text, bool) {
	j := joiner{text: t.string}
	for start := 0; start < len(j.text); {
		end := len(j.text)
		if n := strings.IndexByte(j.text[start:], '\n'); n >= 0 {
			end = start + n
		}
		if spelledApart(j.text[start:end]) {
			j.spelled(start, end)
		}
		j.divided(start, end)
		start = end + 1
	}
	if j.done == 0 {
		return t, false
	}
	j.b.WriteString(j.text[j.done:])
	return Text{j.b.String(), t.source, j.moved, &t}, true
}

// spelledApart reports whether so many letters of line have the same gap between them.
func spelledApart(line string) bool {
	for i := 0; i+2 < len(line); i++ {
		gap := line[i+1]
		if !isGap(gap) || !isLetter(line[i]) || !isLetter(line[i+2]) {
			continue
		}
		n := 2 // letters in a row that stand apart
		for ; i+2*n < len(line) && line[i+2*n-1] == gap && isLetter(line[i+2*n]); n++ {
		}
		if n >= leastSpaced || n >= leastSpelled && gap != ' ' {
			return true
		}
		i += 2*n - 3 // the last of them may begin a word
	}
	return false
}

func isGap(c byte) bool {
	switch c {
	case ' ', '-', '.', '_', '*', '~', '|', '/':
		return true
	}
	return false
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// joiner writes a text with gaps closed.
type joiner struct {
	text  string
	b     strings.Builder
	done  int // bytes of text that are written or dropped
	moved []shift
}

// drop leaves out text[from:to].
func (j *joiner) drop(from, to int) {
	j.b.WriteString(j.text[j.done:from])
	j.done = to
	j.moved = append(j.moved, shift{j.b.Len(), to - j.b.Len()})
}

// spelled joins the words of a line whose letters stand apart. Where a blank stands between
// letters, more than one stands between words.
func (j *joiner) spelled(start, end int) {
	single := false // the field before at is one character of a word
	for at := start; at < end; {
		from := at
		for from < end && j.text[from] == ' ' {
			from++
		}
		to := from
		if n := strings.IndexByte(j.text[from:end], ' '); n >= 0 {
			to += n
		} else {
			to = end
		}
		_, size := utf8.DecodeRuneInString(j.text[from:to])
		one := from < to && from+size == to // a line may end in blanks
		if single && one && from > at {
			j.drop(at, max(at+1, from-1))
		}
		j.hyphened(from, to)
		// A mark that begins a line is no part of a word.
		single, at = one && (single || isLetter(j.text[from])), to
	}
}

// hyphened joins the characters of a word that has the same gap between any two of them.
func (j *joiner) hyphened(from, to int) {
	for from < to && !isLetter(j.text[from]) {
		from++
	}
	var gaps []int
	for at := from; at < to; {
		_, size := utf8.DecodeRuneInString(j.text[at:to])
		if at += size; at+1 >= to || !isGap(j.text[at]) || len(gaps) > 0 && j.text[at] != j.text[gaps[0]] {
			if at < to && !strings.ContainsRune(".,;:!?\"'`)*_", rune(j.text[at])) {
				return
			}
			break
		}
		gaps = append(gaps, at)
		at++
	}
	for _, at := range gaps {
		j.drop(at, at+1)
	}
}

// divided joins the word that a hyphen divides at the end of a line to its rest on the next.
func (j *joiner) divided(start, end int) {
	hyphen := end - 1
	if hyphen > start && j.text[hyphen] == '\r' {
		hyphen--
	}
	if hyphen <= start || end == len(j.text) || j.text[hyphen] != '-' || !isLetter(j.text[hyphen-1]) {
		return
	}
	rest := end + 1
	for rest < len(j.text) && strings.IndexByte(" \t>", j.text[rest]) >= 0 {
		rest++
	}
	if rest < len(j.text) && isLetter(j.text[rest]) {
		j.drop(hyphen, rest)
	}
}
