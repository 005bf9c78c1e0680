package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

func judgeStrange(d *document, m *match) bool { return undress(d, m, plainLetters) }
func judgeRotated(d *document, m *match) bool { return undress(d, m, rotated) }
func judgeEscaped(d *document, m *match) bool { return undress(d, m, unescaped) }
func judgeMarked(d *document, m *match) bool  { return undress(d, m, unmarked) }

// judgeDigits reads 1 as i, then as l.
func judgeDigits(d *document, m *match) bool {
	return undress(d, m, digitLetters) || undress(d, m, func(s string) string {
		return strings.ReplaceAll(digitLetters(strings.ReplaceAll(s, "1", "l")), "5", "s")
	})
}

func judgeSpaced(d *document, m *match) bool {
	text := d.text[m.start:m.end]
	line := d.text[m.start:d.lineAround(m.start).end]
	return undressText(d, m, closed(text)) || undressText(d, m, closed(line)) || undressText(d, m, everySecond(line))
}

func judgeBackwards(d *document, m *match) bool {
	line := d.lineAround(m.start)
	return undressText(d, m, backwards(d.text[line.start:line.end]))
}

// signal returns words that are typical of attackers' orders.
func signal() []string {
	return []string{"ignore", "disregard", "previous", "instruction", "password", "credential", "https://", "http://", "forward", "system prompt", "conversation", "the user", "secret", "session", "developer mode", "unrestricted", "confirmation"}
}

// changed returns the signal words as change makes them.
func changed(change func(string) string) []string {
	var out []string
	for _, w := range signal() {
		if c := strings.ToLower(change(w)); c != w {
			out = append(out, c)
		}
	}
	return out
}

// spacedWords are beginnings of signal words with each letter by itself.
func spacedWords() []string {
	var out []string
	for _, w := range []string{"igno", "disr", "prev", "inst", "pass", "cred", "http", "forw", "user", "secr", "sess", "mode", "send", "tell", "curl", "wget", "appe", "writ", "uplo", "prom", "acti", "act a", "keep", "emai"} {
		for _, gap := range []string{" ", ".", "-", "_", "|"} {
			out = append(out, strings.Join(strings.Split(w, ""), gap))
		}
	}
	return out
}

// digitWords are stems of signal words with digits for some of their letters.
func digitWords() []string {
	swaps := map[byte]string{'a': "4", 'e': "3", 'i': "1", 'o': "0", 's': "5", 't': "7"}
	var out []string
	for _, stem := range []string{"igno", "previ", "instr", "isre", "passw", "user", "prom", "sess", "http", "mode", "confirm", "your", "secr", "unres", "send"} {
		forms := []string{""}
		for i := range len(stem) {
			var next []string
			for _, f := range forms {
				next = append(next, f+stem[i:i+1])
				if digit := swaps[stem[i]]; digit != "" {
					next = append(next, f+digit)
				}
			}
			forms = next
		}
		out = append(out, forms[1:]...)
	}
	return out
}

// strangeLetters returns the most common letters in alphabets that only look Latin.
func strangeLetters() []string {
	out := []string{"ｅ", "ｏ", "ａ", "ⓔ", "ⓞ", "ⓐ"}
	for family := rune(0x1D400); family < 0x1D6A4; family += 52 {
		out = append(out, string(family+26+'e'-'a'), string(family+26+'o'-'a'))
	}
	return out
}

// plainly reports whether the lines of m draw a finding as they stand: then
// breaking the text into lines hid nothing.
func plainly(d *document, m match) bool {
	inner := newDocument("plain.md", d.text[m.start:m.end], nil)
	inner.depth = d.depth + 1
	worst, ok := worstOf(d.machine.scan(inner))
	return ok && worst.rule.ID != "disguised-order"
}

const (
	// fewWords and shortLine make a line one of a text that was broken apart.
	fewWords, shortLine = 2, 40
	// leastLines is how many such lines are read as one sentence.
	leastLines = 4
	// mostWords ends such a run.
	mostWords = 400
)

// splitLines reads runs of lines or items that hold a word or two each as one
// sentence.
func splitLines(_ *machine, d *document) []match {
	var found []match
	start, words := -1, []string(nil)
	flush := func(line int) {
		if start >= 0 && line-start >= leastLines {
			m := match{start: d.lines[start], end: d.lineSpan(line - 1).end, severity: diag.Error, confidence: 0.85}
			if undressText(d, &m, strings.Join(words, " ")) && !plainly(d, m) {
				found = append(found, m)
			}
		}
		start, words = -1, nil
	}
	for i := range d.lines {
		s := d.lineSpan(i)
		if s.end-s.start > shortLine || d.placeOf(s.start)&(prose|hidden|plain) == 0 {
			flush(i)
			continue
		}
		content := strings.Fields(strings.TrimLeft(d.text[s.start:s.end], " \t-*+>|0123456789.)("))
		if len(content) == 0 || len(content) > fewWords {
			flush(i)
			continue
		}
		if start < 0 {
			start = i
		}
		words = append(words, content...)
		if len(words) >= mostWords {
			flush(i + 1)
		}
	}
	flush(len(d.lines))
	return found
}
