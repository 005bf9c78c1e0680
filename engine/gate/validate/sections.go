package validate

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/markup"
	"github.com/assent-dev/assent/engine/format/soul"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// The parts of a SOUL.md that no heading names. A slug holds no brackets, so that
// no section can be called like them.
const (
	beginning = "(beginning)" // front matter and text above the first heading
	sequence  = "(order)"     // of the sections that both versions have
)

// sectionEdits compares two versions of a SOUL.md. Every byte of a file belongs to one part
// (see partsOf), so every edit is reported; only blank lines between parts belong to none.
func sectionEdits(file, agent string, base, head []byte, engineOnly bool, security policy.Security) []policy.SoulEdit {
	before, after := partsOf(base), partsOf(head)
	var out []policy.SoulEdit
	report := func(name, mode string, chars, line int) {
		e := policy.SoulEdit{
			Agent: agent, Section: name, Mode: mode, Chars: chars,
			Engine: engineOnly && (name == sequence || isLearned(name)), Pos: diag.Pos{File: file, Line: line},
		}
		if !e.Engine {
			e.Identity = security.AboutIdentity(strings.ReplaceAll(name, "_", " ") + "\n" + changedLines(before.part[name].text, after.part[name].text))
		}
		out = append(out, e)
	}
	for _, name := range after.order {
		now := after.part[name]
		was, existed := before.part[name]
		added, appended := strings.CutPrefix(now.text, was.text)
		size := utf8.RuneCountInString(now.text)
		switch {
		case !existed && isEntry(name, now.above):
			report(name, "append", size, now.line)
		case !existed:
			report(name, "add", size, now.line)
		case now.text == was.text && now.above == was.above:
		case appended && now.above == was.above && (was.text == "" || strings.HasPrefix(strings.TrimLeft(added, "\r"), "\n")):
			report(name, "append", utf8.RuneCountInString(added), now.line)
		default:
			report(name, "replace", size, now.line)
		}
	}
	for _, name := range before.order {
		if _, still := after.part[name]; !still {
			report(name, "remove", 0, 0)
		}
	}
	if !slices.Equal(before.common(after), after.common(before)) {
		report(sequence, "replace", 0, 0)
	}
	return out
}

// changedLines are the lines that only one of two texts has.
func changedLines(a, b string) string {
	before, after := strings.Split(a, "\n"), strings.Split(b, "\n")
	var out []string
	for _, l := range before {
		if !slices.Contains(after, l) {
			out = append(out, l)
		}
	}
	for _, l := range after {
		if !slices.Contains(before, l) {
			out = append(out, l)
		}
	}
	return strings.Join(out, "\n")
}

// isEntry reports whether a section is an entry of the learned list, which is no section
// of the agent's identity.
func isEntry(slug, above string) bool {
	return strings.HasPrefix(slug, "capability") && strings.HasPrefix(above, markup.Slug(soul.LearnedTitle)+"\n")
}

// part is one section with its heading, or the text above the first one.
type part struct {
	above string // its parent headings
	text  string
	line  int
}

type parts struct {
	order []string // slugs, as they first occur
	part  map[string]part
}

// partsOf splits a file into its parts. Sections of one name are one part; blank
// lines at the end come and go with the next section and are left out.
func partsOf(src []byte) parts {
	sections, _ := markup.Sections(src)
	first := len(src)
	if len(sections) > 0 {
		first = sections[0].Heading.Start
	}
	p := parts{part: map[string]part{}}
	p.add(beginning, "", src[:first], 1)
	for _, sec := range sections {
		var above string
		for at := sec.Parent; at >= 0; at = sections[at].Parent {
			above += sections[at].Slug + "\n"
		}
		p.add(sec.Slug, above, src[sec.Heading.Start:sec.Own.End], sec.Line)
	}
	return p
}

func (p *parts) add(name, above string, src []byte, line int) {
	text := strings.TrimRight(string(src), " \t\r\n")
	if old, twice := p.part[name]; twice {
		p.part[name] = part{old.above + "\n" + above, old.text + "\n" + text, old.line}
		return
	}
	p.order = append(p.order, name)
	p.part[name] = part{above, text, line}
}

// common lists the parts that other has, too, in their order here.
func (p parts) common(other parts) []string {
	return slices.DeleteFunc(slices.Clone(p.order), func(name string) bool {
		_, there := other.part[name]
		return !there
	})
}

// isLearned reports whether a section is in the list that the engine owns.
func isLearned(slug string) bool {
	return slug == markup.Slug(soul.LearnedTitle) || strings.HasPrefix(slug, "capability")
}
