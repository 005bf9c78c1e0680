package snippet

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/format/capability"
)

// Form is code, and what was taken off to get it.
type Form struct {
	Code string
	// Taken says what, in the order in which it was done; empty for the code as it came.
	Taken []string
}

// What is taken off.
const (
	takenCDATA    = "a CDATA wrapper"
	takenFence    = "a Markdown fence"
	takenEntities = "HTML entities"
)

// maxWraps is how many wrappers are taken off one after the other.
const maxWraps = 3

// unwraps are the ways to take something off. Each answers its input where there is
// nothing to take.
var unwraps = []struct {
	taken string
	do    func(string) string
}{{takenCDATA, withoutCDATA}, {takenFence, withoutFence}, {takenEntities, withoutEntities}}

// Forms lists what the code may have been before it was wrapped: what came first, then
// what is left without one wrapper, without two, without three. None comes twice.
func Forms(code string) []Form {
	out := []Form{{Code: code}}
	for from := 0; from < len(out); from++ {
		f := out[from]
		if len(f.Taken) == maxWraps {
			continue
		}
		for _, u := range unwraps {
			next := u.do(f.Code)
			if next == f.Code || strings.TrimSpace(next) == "" || slices.ContainsFunc(out, func(o Form) bool { return o.Code == next }) {
				continue
			}
			out = append(out, Form{next, append(slices.Clone(f.Taken), u.taken)})
		}
	}
	return out
}

// Choose answers the first form that parses says nothing against. Code that parses stays
// as it is, byte for byte. Where no form parses, why is what is wrong with the code as it
// came. An error of parses ends the search.
func Choose(code string, lang capability.Runtime, parses func(code string) (why string, err error)) (f Form, why string, err error) {
	first := ""
	for i, f := range Forms(code) {
		if i == 0 && fenced(code, lang) {
			first = "it stands in a Markdown fence"
			continue
		}
		why, err := parses(f.Code)
		if err != nil || why == "" {
			return f, "", err
		}
		if first == "" || i == 1 && fenced(code, lang) {
			first = why
		}
	}
	return Form{Code: code}, first, nil
}

// fenced reports whether the code parses only because backticks mean something in its
// language: a fence is a command substitution to a shell, and a template to JavaScript.
func fenced(code string, lang capability.Runtime) bool {
	return (lang == capability.Bash || lang == capability.Node) && withoutFence(code) != code
}

func withoutCDATA(code string) string {
	text := strings.TrimSpace(code)
	inner, begins := strings.CutPrefix(text, "<![CDATA[")
	inner, ends := strings.CutSuffix(inner, "]]>")
	if !begins && !ends {
		return code
	}
	return ended(inner)
}

// withoutFence takes the code out of a fence that holds all of it.
func withoutFence(code string) string {
	text := strings.TrimSpace(code)
	mark := ""
	for _, m := range []string{"```", "~~~"} {
		if strings.HasPrefix(text, m) {
			mark = text[:len(text)-len(strings.TrimLeft(text, m[:1]))]
		}
	}
	info, rest, more := strings.Cut(text, "\n")
	if mark == "" || !more || strings.ContainsAny(info[len(mark):], "`") {
		return code
	}
	last := strings.LastIndexByte(rest, '\n') + 1
	if closing := strings.TrimSpace(rest[last:]); len(closing) < len(mark) || strings.Trim(closing, mark[:1]) != "" {
		return code
	}
	return ended(rest[:last])
}

var entity = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`&(?:quot|apos|lt|gt|amp|nbsp|#[0-9]{1,6}|#[xX][0-9a-fA-F]{1,5});`)
})

func withoutEntities(code string) string {
	return entity().ReplaceAllStringFunc(code, func(e string) string {
		return strings.ReplaceAll(html.UnescapeString(e), "\u00a0", " ")
	})
}

// ended gives code the one line break at its end, and none before it begins.
func ended(code string) string {
	return strings.TrimLeft(strings.TrimRight(code, " \t\r\n"), "\r\n") + "\n"
}

// Suspects says in one sentence what code that does not parse, or that fails, may
// suffer from; empty where nothing is to be seen.
func Suspects(code string) string {
	text := strings.TrimSpace(code)
	var out []string
	if strings.Contains(text, "<![CDATA[") || strings.HasSuffix(text, "]]>") {
		out = append(out, "it holds a CDATA mark (<![CDATA[ or ]]>)")
	}
	if e := entity().FindString(text); e != "" {
		out = append(out, "it holds HTML entities ("+e+")")
	}
	if strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~") || strings.HasSuffix(text, "```") || strings.HasSuffix(text, "~~~") {
		out = append(out, "it begins or ends with a Markdown fence")
	}
	if !strings.Contains(text, "\n") && strings.Count(text, `\n`) > 1 {
		out = append(out, `its line breaks came as \n, escaped once too often`)
	}
	return strings.Join(out, "; ")
}
