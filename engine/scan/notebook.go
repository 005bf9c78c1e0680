package scan

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/scan/program"
)

// cell is a cell of a notebook: its place in the document, and its text by language.
type cell struct {
	span
	python, shell string
}

// isNotebook reports whether d is a notebook, whose programs are in strings of JSON.
func isNotebook(d *document) bool { return strings.EqualFold(path.Ext(d.path), ".ipynb") }

// readNotebook reads the programs of a notebook's cells. The cells of Python are one
// program, since each cell continues the one before it. Its acts have the places of
// their cells.
func readNotebook(d *document) []reading {
	var out []reading
	var whole strings.Builder
	all := cells(d)
	ends := make([]int, len(all))
	for i, c := range all {
		if c.shell != "" {
			out = append(out, reading{Reading: d.programText(c.shell, program.Shell), base: c.start, end: c.end})
		}
		whole.WriteString(c.python)
		whole.WriteByte('\n')
		ends[i] = whole.Len()
	}
	read := d.programText(whole.String(), program.Python)
	acts := make([][]program.Act, len(all))
	for _, a := range read.Acts {
		i, exact := slices.BinarySearch(ends, a.At)
		if exact {
			i++
		}
		if i < len(all) {
			acts[i] = append(acts[i], a)
		}
	}
	for i, c := range all {
		if len(acts[i]) > 0 {
			part := read
			part.Acts = acts[i]
			out = append(out, reading{Reading: part, base: c.start, end: c.end})
		}
	}
	return out
}

// cells returns the cells with code of a notebook, or nil if d is not a notebook.
func cells(d *document) []cell {
	var notebook struct {
		Cells []json.RawMessage `json:"cells"`
	}
	if json.Unmarshal([]byte(d.text), &notebook) != nil {
		return nil
	}
	var out []cell
	from := 0
	for _, raw := range notebook.Cells {
		at := strings.Index(d.text[from:], string(raw))
		if at < 0 {
			continue
		}
		s := span{from + at, from + at + len(raw)}
		from = s.end
		var content struct {
			Type   string          `json:"cell_type"`
			Source json.RawMessage `json:"source"`
		}
		if json.Unmarshal(raw, &content) != nil || content.Type != "code" {
			continue
		}
		c := cell{span: s}
		c.python, c.shell = byLanguage(sourceOf(content.Source))
		out = append(out, c)
	}
	return out
}

// sourceOf returns the text of a cell, which is a string or a list of lines.
func sourceOf(raw json.RawMessage) string {
	var lines []string
	if json.Unmarshal(raw, &lines) == nil {
		return strings.Join(lines, "")
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return ""
	}
	return text
}

// byLanguage parts a cell's text: a first line may give it to a shell as a whole, a
// line that begins with an exclamation mark goes to one.
func byLanguage(source string) (python, shell string) {
	first, rest, _ := strings.Cut(strings.TrimLeft(source, " \t\r\n"), "\n")
	for _, magic := range []string{"%%bash", "%%sh", "%%script bash", "%%script sh"} {
		if strings.HasPrefix(first, magic) {
			return "", rest
		}
	}
	var p, s strings.Builder
	for line := range strings.Lines(source) {
		switch text := strings.TrimLeft(line, " \t"); {
		case strings.HasPrefix(text, "!"):
			s.WriteString(strings.TrimLeft(text, "!"))
		case strings.HasPrefix(text, "%"):
		default:
			p.WriteString(line)
		}
	}
	return p.String(), s.String()
}
