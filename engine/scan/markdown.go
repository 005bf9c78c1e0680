package scan

import "strings"

// markdownRegions divides Markdown into front matter, fences by language, HTML
// comments and prose, in one pass over its lines. It follows CommonMark where a
// reader could be misled: a fence closes only by its own character, at least as
// long, with nothing behind it; an unclosed fence or comment runs to the end.
func (l *layout) markdownRegions() []region {
	var b regionBuilder
	i := 0
	if l.lineText(0) == "---" {
		for j := 1; j < len(l.lines); j++ {
			if t := l.lineText(j); t == "---" || t == "..." {
				i = j + 1
				b.add(0, l.lineEnd(j), prose)
				break
			}
		}
	}
	for i < len(l.lines) {
		line := l.lineText(i)
		mark, info := openFence(line)
		if mark == "" {
			i = l.proseLine(&b, i)
			continue
		}
		end := i + 1
		for end < len(l.lines) && !closesFence(l.lineText(end), mark) {
			end++
		}
		last := min(end, len(l.lines)-1)
		b.add(l.lines[i], l.lineEnd(last), fencePlace(info))
		i = last + 1
	}
	return b.regions
}

// proseLine adds line i, and the rest of a comment that opens on it, and
// returns the line to go on with.
func (l *layout) proseLine(b *regionBuilder, i int) int {
	start, end := l.lines[i], l.lineEnd(i)
	for {
		open := strings.Index(l.text[start:end], "<!--")
		if open < 0 {
			b.add(start, end, prose)
			return i + 1
		}
		b.add(start, start+open, prose)
		start += open
		length := strings.Index(l.text[start:], "-->")
		if length < 0 {
			b.add(start, len(l.text), hidden)
			return len(l.lines)
		}
		b.add(start, start+length+len("-->"), hidden)
		start += length + len("-->")
		if start >= end {
			i = l.lineIndex(start)
			end = l.lineEnd(i)
		}
	}
}

// lineEnd returns the offset after line i and its newline.
func (l *lined) lineEnd(i int) int {
	if i+1 < len(l.lines) {
		return l.lines[i+1]
	}
	return len(l.text)
}

func (l *lined) lineText(i int) string {
	s := l.lineSpan(i)
	return strings.TrimRight(l.text[s.start:s.end], " \t\r")
}

// openFence returns the fence mark and the first word of its info string.
// Fences inside lists and quotes are indented, so any indentation opens one:
// taking text for code loses nothing, as every instruction rule reads fences.
func openFence(line string) (mark, info string) {
	trimmed := strings.TrimLeft(line, " \t>")
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(trimmed, c)
		if n := len(trimmed) - len(rest); n >= 3 && (c == "~" || !strings.Contains(rest, "`")) {
			word, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
			return trimmed[:n], strings.ToLower(strings.Trim(word, "{}."))
		}
	}
	return "", ""
}

func closesFence(line, mark string) bool {
	trimmed := strings.TrimLeft(line, " \t>")
	return len(trimmed) >= len(mark) && strings.Trim(trimmed, mark[:1]) == ""
}

func fencePlace(info string) place {
	if p := languagePlace(info); p != 0 {
		return p
	}
	return plain
}

// regionBuilder joins neighbours of the same place, except fences, which stay
// apart because each is a program of its own.
type regionBuilder struct{ regions []region }

func (b *regionBuilder) add(start, end int, p place) {
	if start >= end {
		return
	}
	if n := len(b.regions); n > 0 && p == prose && b.regions[n-1].place == p {
		b.regions[n-1].end = end
		return
	}
	b.regions = append(b.regions, region{span{start, end}, p})
}
