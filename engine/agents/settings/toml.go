package settings

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

func key(s string) string { return `["']?` + regexp.QuoteMeta(s) + `["']?` }

// tomlOwn matches the head of a table, and of the tables below it.
func tomlOwn(parent, name string) string {
	return `^\s*\[\[?\s*` + key(parent) + `\s*\.\s*` + key(name) + `\s*[].]`
}

const tomlName = `(?:"[^"]*"|'[^']*'|[\w-]+)`

var (
	tomlHead = regexp.MustCompile(`^\s*\[\[?\s*(` + tomlName + `(?:\s*\.\s*` + tomlName + `)*)\s*\]\]?\s*(?:#.*)?$`)
	tomlKey  = regexp.MustCompile(`^\s*(` + tomlName + `(?:\s*\.\s*` + tomlName + `)*)\s*=`)
	// tomlText is one string of a table on one line.
	tomlText = regexp.MustCompile(`(` + tomlName + `)\s*=\s*("(?:\\.|[^"\\])*"|'[^']*')`)
	// runsMCP recognises the table that assent writes.
	runsMCP = regexp.MustCompile(`(?m)^\s*args\s*=\s*\[[^\]]*["']mcp["']`)
)

// bare is a dotted key without spaces and quotes.
func bare(key string) string {
	return strings.NewReplacer(" ", "", "\t", "", `"`, "", "'", "").Replace(key)
}

// byTable finds the block by its table, because a client that rewrites the file can drop one of the two marks.
func (b Block) byTable(src []byte, from, to int) (p parts, there bool) {
	if b.table == "" {
		return p, false
	}
	p.pre, p.own, p.post = b.split(splice(src, from, min(to+1, len(src)), ""))
	p.nl, p.ended = newline(src), true
	if bytes.HasSuffix(p.pre, []byte(p.nl+p.nl)) {
		p.before = 1
	}
	return p, runsMCP.Match(p.own)
}

// tomlReader is the reader of a table.
func tomlReader(table string) func(line []byte) (mine, loose bool) {
	parent, name, _ := strings.Cut(table, ".")
	own, inside, mine := regexp.MustCompile(tomlOwn(parent, name)), "", false
	return func(line []byte) (_, loose bool) {
		text := bytes.TrimSpace(line)
		if inside == "" {
			if len(text) == 0 || text[0] == '#' {
				return false, true
			}
			if tomlHead.Match(text) {
				mine = own.Match(text)
			}
		}
		inside = tomlInside(line, inside)
		return mine, false
	}
}

// added is what others added to the block's table: keys that it does not write, and tables below it. Their variables for
// the server become dotted keys, as the block writes them: TOML has a table in one place only.
func (b Block) added(own string) string {
	written := append([]string{"command", "args"}, b.keys...)
	keys, tables, below, inside, keep := "", "", "", "", false
	add := func(line string) {
		if below == "" || below == "env" {
			keys += line
		} else {
			tables += line
		}
	}
	for line := range strings.SplitAfterSeq(strings.TrimSuffix(own, "\n")+"\n", "\n") {
		text := strings.TrimSpace(line)
		if inside == "" {
			head, name := tomlHead.FindStringSubmatch(text), tomlKey.FindStringSubmatch(line)
			switch {
			case head != nil:
				below = strings.TrimPrefix(strings.TrimPrefix(bare(head[1]), b.table), ".")
				if keep = below != "" && below != "env"; keep {
					line = "\n" + line
				}
			case text == "":
				continue
			case text[0] == '#':
				add(line)
				continue
			case name == nil: // the line before goes on
			case below == "" && bare(name[1]) == "env":
				keep = false
				for _, m := range tomlText.FindAllStringSubmatch(line[len(name[0]):], -1) {
					if !slices.Contains(written, "env."+bare(m[1])) {
						keys += "env." + m[1] + " = " + m[2] + "\n"
					}
				}
			case below == "env":
				keep = !slices.Contains(written, "env."+bare(name[1]))
				line = "env." + strings.TrimLeft(line, " \t")
			default:
				keep = below != "" || !slices.Contains(written, bare(name[1]))
			}
		}
		inside = tomlInside([]byte(line), inside)
		if keep {
			add(line)
		}
	}
	return keys + tables
}

// tomlFits returns an error if the table cannot be added: it exists, or the file is broken.
func tomlFits(rest []byte, table string) error {
	parent, name, _ := strings.Cut(table, ".")
	mine := regexp.MustCompile(tomlOwn(parent, name) + `|^\s*` + key(parent) + `\s*\.\s*` + key(name) + `\s*[.=]`)
	inline := regexp.MustCompile(`^\s*` + key(parent) + `\s*=`)
	header := regexp.MustCompile(`^\s*\[\s*` + key(parent) + `\s*\]`)
	own := regexp.MustCompile(`^\s*` + key(name) + `\s*[.=]`)
	inside, inParent, at := "", false, 0
	if err := tomlValid(rest); err != nil {
		return err
	}
	for line := range bytes.Lines(rest) {
		if inside == "" {
			switch {
			case mine.Match(line), inParent && own.Match(line):
				return fault(rest, at, "remove it, and connect again; or keep it, and do without assent connect", "%s is there already, and assent did not write it", table)
			case inline.Match(line):
				return fault(rest, at, "write it as tables: ["+parent+".NAME]", "%s is written as one value, which nothing can be added to", parent)
			}
			if bytes.HasPrefix(bytes.TrimSpace(line), []byte("[")) {
				inParent = header.Match(line)
			}
		}
		inside = tomlInside(line, inside)
		at += len(line)
	}
	return tomlValid(slices.Concat(rest, []byte("\n["+table+"]\n")))
}

// tomlValid returns an error with the line if src is no TOML.
func tomlValid(src []byte) error {
	var bad toml.ParseError
	switch _, err := toml.Decode(string(src), &map[string]any{}); {
	case errors.As(err, &bad):
		return fault(src, bad.Position.Start, "mend the file first", "%s", bad.Message)
	case err != nil:
		return fault(src, 0, "mend the file first", "%v", err)
	}
	return nil
}

// tomlInside tracks multi-line strings: it returns the quote that the next line is inside
// of.
func tomlInside(line []byte, inside string) string {
	for i := 0; i < len(line); {
		if inside != "" {
			switch {
			case inside == `"""` && line[i] == '\\':
				i += 2
			case bytes.HasPrefix(line[i:], []byte(inside)):
				i, inside = i+3, ""
			default:
				i++
			}
			continue
		}
		switch c := line[i]; {
		case c == '#':
			return ""
		case bytes.HasPrefix(line[i:], []byte(`"""`)), bytes.HasPrefix(line[i:], []byte(`'''`)):
			inside = string(line[i : i+3])
			i += 3
		case c == '"' || c == '\'':
			i = tomlString(line, i)
		default:
			i++
		}
	}
	return inside
}

// tomlString goes over a string of one line.
func tomlString(line []byte, at int) int {
	quote := line[at]
	for at++; at < len(line); at++ {
		switch {
		case line[at] == '\\' && quote == '"':
			at++
		case line[at] == quote:
			return at + 1
		}
	}
	return at
}
