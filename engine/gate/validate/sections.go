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
		case !existed && isEntry(name, now):
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
	return strings.Join(append(missingIn(after, before), missingIn(before, after)...), "\n")
}

// missingIn returns the lines that others lacks.
func missingIn(others, lines []string) []string {
	there := map[string]bool{}
	for _, l := range others {
		there[l] = true
	}
	var out []string
	for _, l := range lines {
		if !there[l] {
			out = append(out, l)
		}
	}
	return out
}

// isEntry reports whether a section is an entry of the learned list, which is no section
// of the agent's identity.
func isEntry(slug string, p part) bool {
	return strings.HasPrefix(slug, "capability") && p.parent == markup.Slug(soul.LearnedTitle)
}

// part is one section with its heading, or the text above the first one.
type part struct {
	parent string // the heading above it
	above  string // identifies its parent headings
	text   string
	line   int
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
	g := gathering{texts: map[string][]string{}, above: map[string][]string{}, parts: parts{part: map[string]part{}}}
	g.add(beginning, part{line: 1}, src[:first])
	paths := markup.Paths(sections)
	for _, sec := range sections {
		p := part{line: sec.Line}
		if sec.Parent >= 0 {
			p.parent, p.above = sections[sec.Parent].Slug, paths[sec.Parent]
		}
		g.add(sec.Slug, p, src[sec.Heading.Start:sec.Own.End])
	}
	return g.joined()
}

// gathering collects the texts of parts, so that many sections of one name are joined once.
type gathering struct {
	texts, above map[string][]string
	parts
}

func (g *gathering) add(name string, p part, src []byte) {
	if _, twice := g.part[name]; !twice {
		g.order = append(g.order, name)
		g.part[name] = p
	}
	g.texts[name] = append(g.texts[name], strings.TrimRight(string(src), " \t\r\n"))
	g.above[name] = append(g.above[name], p.above)
}

func (g *gathering) joined() parts {
	for name, p := range g.part {
		p.text, p.above = strings.Join(g.texts[name], "\n"), strings.Join(g.above[name], "\n")
		g.part[name] = p
	}
	return g.parts
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
