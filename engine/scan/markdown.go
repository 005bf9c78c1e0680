package scan

import "strings"

// markdownRegions divides Markdown into front matter, fences by language, HTML
// comments and prose, in one pass over its lines. It follows CommonMark where a
// reader could be misled: a fence closes only by its own character, at least as
// long, with nothing behind it; an unclosed fence or comment runs to the end.
func (d *document) markdownRegions() []region {
	var b regionBuilder
	i := 0
	if d.lineText(0) == "---" {
		for j := 1; j < len(d.lines); j++ {
			if t := d.lineText(j); t == "---" || t == "..." {
				i = j + 1
				b.add(0, d.lineEnd(j), prose)
				break
			}
		}
	}
	for i < len(d.lines) {
		line := d.lineText(i)
		mark, info := openFence(line)
		if mark == "" {
			i = d.proseLine(&b, i)
			continue
		}
		end := i + 1
		for end < len(d.lines) && !closesFence(d.lineText(end), mark) {
			end++
		}
		last := min(end, len(d.lines)-1)
		b.add(d.lines[i], d.lineEnd(last), fencePlace(info))
		i = last + 1
	}
	return b.regions
}

// proseLine adds line i, and the rest of a comment that opens on it, and
// returns the line to go on with.
func (d *document) proseLine(b *regionBuilder, i int) int {
	start, end := d.lines[i], d.lineEnd(i)
	for {
		open := strings.Index(d.text[start:end], "<!--")
		if open < 0 {
			b.add(start, end, prose)
			return i + 1
		}
		b.add(start, start+open, prose)
		start += open
		length := strings.Index(d.text[start:], "-->")
		if length < 0 {
			b.add(start, len(d.text), hidden)
			return len(d.lines)
		}
		b.add(start, start+length+len("-->"), hidden)
		start += length + len("-->")
		if start >= end {
			i = d.lineIndex(start)
			end = d.lineEnd(i)
		}
	}
}

// lineEnd returns the offset after line i and its newline.
func (d *document) lineEnd(i int) int {
	if i+1 < len(d.lines) {
		return d.lines[i+1]
	}
	return len(d.text)
}

func (d *document) lineText(i int) string {
	s := d.lineSpan(i)
	return strings.TrimRight(d.text[s.start:s.end], " \t\r")
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
