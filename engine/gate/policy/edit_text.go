package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/strictyaml"
)

// rolesText is a roles.yaml line by line. It edits text in blocks that are indented by two
// spaces, as assent writes it and the documentation shows it. EditRoles reads the result
// again, so any other layout is noticed.
type rolesText struct{ lines []string }

// section returns the lines of the entries of a top-level key. If the key's value is an empty
// one on the same line, it is opened first.
func (t *rolesText) section(name string) (from, to int, err error) {
	from = slices.IndexFunc(t.lines, func(l string) bool { return strings.HasPrefix(l, name+":") })
	if from < 0 {
		t.lines = append(t.lines, "", name+":")
		from = len(t.lines) - 1
	}
	switch rest := strings.TrimSpace(strings.TrimPrefix(t.lines[from], name+":")); {
	case rest == "{}":
		t.lines[from] = name + ":"
	case rest != "" && !strings.HasPrefix(rest, "#"):
		return 0, 0, fmt.Errorf("%s has its value on the same line: %w", name, ErrByHand)
	}
	from++
	for to = from; to < len(t.lines) && (t.lines[to] == "" || strings.ContainsAny(t.lines[to][:1], " #\t\r")); to++ {
	}
	for to > from && (strings.TrimSpace(t.lines[to-1]) == "" || strings.HasPrefix(t.lines[to-1], "#")) {
		to-- // blank lines and comments before the next key belong to that key
	}
	return from, to, nil
}

// find returns the lines of an entry of a section; from is to if there is none.
func (t *rolesText) find(section, name string) (from, to int, err error) {
	begin, end, err := t.section(section)
	if err != nil {
		return 0, 0, err
	}
	for from = begin; from < end && !strings.HasPrefix(t.lines[from], "  "+name+":"); from++ {
	}
	if from == end {
		return end, end, nil
	}
	for to = from + 1; to < end && strings.HasPrefix(t.lines[to], "   "); to++ {
	}
	return from, to, nil
}

// entry writes an identity, or takes it away.
func (t *rolesText) entry(section, name string, e *rawIdentity) error {
	var now []string
	if e != nil {
		text, err := strictyaml.Marshal(*e)
		if err != nil {
			return fmt.Errorf("write %s: %w", RolesFile, err)
		}
		body := strings.TrimRight(string(text), "\n")
		if body == "{}" || body == "" {
			now = []string{"  " + name + ": {}"}
		} else {
			now = append([]string{"  " + name + ":"}, strings.Split("    "+strings.ReplaceAll(body, "\n", "\n    "), "\n")...)
		}
	}
	return t.replace(section, name, now)
}

// line writes an entry on one line.
func (t *rolesText) line(section, name, value string) error {
	return t.replace(section, name, []string{"  " + name + ": " + value})
}

func (t *rolesText) replace(section, name string, now []string) error {
	from, to, err := t.find(section, name)
	if err != nil {
		return err
	}
	if slices.Equal(t.lines[from:to], now) {
		return nil
	}
	if slices.ContainsFunc(t.lines[from:to], func(l string) bool { return strings.Contains(l, "#") }) {
		return fmt.Errorf("comments stand in the entry of %s: %w", name, ErrByHand)
	}
	t.lines = slices.Replace(t.lines, from, to, now...)
	return nil
}
