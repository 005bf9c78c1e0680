package snippet

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/format/capability"
)

// Form is code, with the wrappers that were removed to get it.
type Form struct {
	Code string
	// Taken lists the removed wrappers in order; empty for the unchanged code.
	Taken []string
}

// The kinds of wrappers.
const (
	takenCDATA    = "a CDATA wrapper"
	takenFence    = "a Markdown fence"
	takenEntities = "HTML entities"
)

// maxWraps bounds the number of nested wrappers.
const maxWraps = 3

// unwraps are the ways to remove a wrapper. Each returns its input if there is none.
var unwraps = []struct {
	taken string
	do    func(string) string
}{{takenCDATA, withoutCDATA}, {takenFence, withoutFence}, {takenEntities, withoutEntities}}

// Forms lists candidates for the original code: the code unchanged, then with one, two
// and three wrappers removed. Each is listed once.
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

// Choose returns the first form that parses accepts. Code that parses stays unchanged. If
// no form parses, why is the fault of the unchanged code. An error of parses ends the
// search.
func Choose(code string, lang capability.Runtime, parses func(code string) (why string, err error)) (f Form, why string, err error) {
	first := ""
	for i, f := range Forms(code) {
		if i == 0 && fenced(code, lang) {
			first = "it is inside a Markdown fence"
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

// fenced reports whether code may parse only because backticks have a meaning in its
// language: a fence is a command substitution in a shell and a template in JavaScript.
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

// withoutFence returns the content of a fence that spans the whole code.
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

// ended returns code with exactly one line break at its end and none at its beginning.
func ended(code string) string {
	return strings.TrimLeft(strings.TrimRight(code, " \t\r\n"), "\r\n") + "\n"
}

// Suspects returns in one sentence the likely causes if code does not parse or fails;
// empty if none is visible.
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
