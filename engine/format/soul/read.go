package soul

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
)

// The fields of an entry, by slug.
const (
	fieldLearned      = "learned"
	fieldMastery      = "mastery score"
	fieldStatus       = "status"
	fieldVerified     = "verified by"
	fieldDescription  = "description"
	fieldRequirements = "requirements"
	fieldUsage        = "usage"
	fieldLimitations  = "limitations"
	fieldErrors       = "error patterns"
)

var (
	fieldLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\*\*([A-Za-z][A-Za-z ]*?)(?::\*\*|\*\*[ \t]*:)[ \t]*(.*)$`)
	})
	fenceLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^ {0,3}(`{3,}|~{3,})(.*)$") })
	listItem  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^ {0,3}[-*+][ \t]+(.*)$`) })
)

// separator separates fields on one line.
const separator = " · "

// ReadLearned reads the list of learned capabilities: headings "Capability: name" of
// level 3 below "Learned Capabilities" (or one level below it, if it is elsewhere), each
// with fields written **Name**: value, one per line or several on one line separated by "
// · ". A soul without the list has no entries. Invalid values are warnings and stay
// empty; text that is not a known field goes to Extra. Positions have no file name.
func ReadLearned(src []byte) ([]Entry, diag.List) {
	l, ok := findList(src)
	if !ok {
		return nil, nil
	}
	var ds diag.List
	var out []Entry
	first := map[string]int{}
	for _, it := range l.items {
		e := readEntry(it, src, &ds)
		if line, dup := first[FoldName(e.Name)]; dup {
			ds.Errorf(RuleLearnedDuplicate, diag.Pos{Line: it.line}, "keep one of the two entries",
				"%q stands in the list already, on line %d", e.Name, line)
		} else {
			first[FoldName(e.Name)] = it.line
		}
		out = append(out, e)
	}
	return out, ds
}

func readEntry(it item, src []byte, ds *diag.List) Entry {
	e := Entry{Name: it.name, Line: it.line, Span: it.span}
	r := entryReader{entry: &e, ds: ds, line: it.line}
	body := strings.ReplaceAll(string(src[it.head.End:it.span.End]), "\r\n", "\n")
	for line := range strings.SplitSeq(body, "\n") {
		r.line++
		r.read(line)
	}
	r.flush()
	e.Extra = trimLines(strings.Join(r.extra, "\n"))
	return e
}

// entryReader collects the lines of one field at a time.
type entryReader struct {
	entry *Entry
	ds    *diag.List
	line  int
	at    int // line of the field being collected
	field string
	lines []string
	extra []string
	fence string
}

func (r *entryReader) read(line string) {
	if r.inFence(line) {
		r.lines = append(r.lines, line)
		return
	}
	fields := splitFields(line)
	if fields == nil {
		r.lines = append(r.lines, line)
		return
	}
	for _, f := range fields {
		r.flush()
		r.field, r.lines, r.at = f[0], []string{f[1]}, r.line
	}
}

// inFence follows code fences; the lines that open and close one count as inside.
func (r *entryReader) inFence(line string) bool {
	m := fenceLine().FindStringSubmatch(line)
	if r.fence == "" {
		if m == nil || m[1][0] == '`' && strings.Contains(m[2], "`") {
			return false
		}
		r.fence = m[1]
		return true
	}
	if m != nil && m[1][0] == r.fence[0] && len(m[1]) >= len(r.fence) && strings.TrimSpace(m[2]) == "" {
		r.fence = ""
	}
	return true
}

// splitFields returns the names and values of a line of known fields, else nil.
func splitFields(line string) [][2]string {
	parts := []string{line}
	if strings.Contains(line, separator+"**") {
		parts = strings.Split(line, separator)
	}
	var out [][2]string
	for _, p := range parts {
		name, value, ok := fieldOf(p)
		if !ok {
			parts = nil
			break
		}
		out = append(out, [2]string{name, value})
	}
	if parts == nil {
		if name, value, ok := fieldOf(line); ok {
			return [][2]string{{name, value}}
		}
		return nil
	}
	return out
}

func fieldOf(text string) (name, value string, ok bool) {
	m := fieldLine().FindStringSubmatch(strings.TrimRight(text, " \t"))
	if m == nil {
		return "", "", false
	}
	name = strings.Join(strings.Fields(strings.ToLower(m[1])), " ")
	if name == "mastery" {
		name = fieldMastery
	}
	switch name {
	case fieldLearned, fieldMastery, fieldStatus, fieldVerified, fieldDescription,
		fieldRequirements, fieldUsage, fieldLimitations, fieldErrors:
		return name, m[2], true
	}
	return "", "", false
}

// flush stores the collected field. Lines after a single-line field belong to no field.
func (r *entryReader) flush() {
	e, field, lines := r.entry, r.field, r.lines
	r.field, r.lines = "", nil
	if field == "" {
		r.extra = append(r.extra, lines...)
		return
	}
	switch field {
	case fieldDescription:
		e.Description = oneLine(strings.Join(lines, " "))
	case fieldRequirements:
		e.Requirements = items(lines)
	case fieldUsage:
		e.Usage = trimLines(strings.Join(lines, "\n"))
	case fieldLimitations:
		e.Limitations = items(lines)
	case fieldErrors:
		e.ErrorPatterns = items(lines)
	default:
		r.single(field, strings.TrimSpace(lines[0]))
		r.extra = append(r.extra, lines[1:]...)
	}
}

func (r *entryReader) single(field, value string) {
	pos := diag.Pos{Line: r.at}
	switch field {
	case fieldStatus:
		r.entry.Status = value
	case fieldVerified:
		r.entry.VerifiedBy = value
	case fieldLearned:
		if !isDate(value) {
			r.ds.Warnf(RuleLearnedEntry, pos, "write the date as 2026-02-04", "capability %q: the date is not yyyy-mm-dd", r.entry.Name)
			return
		}
		r.entry.Learned = value
	case fieldMastery:
		score, err := strconv.ParseFloat(value, 64)
		if err != nil || !isScore(score) {
			r.ds.Warnf(RuleLearnedEntry, pos, "write a score from 0 to 1", "capability %q: the mastery score is not a number from 0 to 1", r.entry.Name)
			return
		}
		r.entry.Mastery = &score
	}
}

// items reads a Markdown list; a line without a marker continues the item before it.
func items(lines []string) []string {
	var out []string
	for _, l := range lines {
		switch m := listItem().FindStringSubmatch(l); {
		case m != nil:
			out = append(out, oneLine(m[1]))
		case strings.TrimSpace(l) == "":
		case len(out) == 0:
			out = append(out, oneLine(l))
		default:
			out[len(out)-1] += " " + oneLine(l)
		}
	}
	kept := out[:0]
	for _, s := range out {
		if s != "" {
			kept = append(kept, s)
		}
	}
	return kept
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// trimLines removes blank lines at both ends.
func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return strings.Join(lines, "\n")
}

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// isScore reports whether f is from 0 to 1; it is false for NaN.
func isScore(f float64) bool { return f >= 0 && f <= 1 }
