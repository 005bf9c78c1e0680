package condition

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
)

// Forms of the library's syntax errors; a test checks them.
var (
	badToken = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)^token recognition error at: '(.*)'$`) })
	badInput = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:mismatched|extraneous) input '(.*)' expecting (.*)$`)
	})
	missing  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^missing '(.*)' at '`) })
	reserved = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^reserved identifier: (.*)$`) })
)

// instead maps operators of other languages to those of CEL.
var instead = map[string]string{
	"=": "==", "=>": ">=", "=<": "<=", "&": "&&", "|": "||", "and": "&&", "or": "||", "not": "!", "is": "==",
	"“": `"`, "”": `"`, "‘": `'`, "’": `'`,
}

const (
	endOfText   = "<EOF>"
	syntaxError = "Syntax error:"
	anyCEL      = "write it as CEL; docs/policies.md has examples"
)

// syntaxProblems returns the first syntax error of a condition; later errors of the library
// follow from it.
func syntaxProblems(found []*cel.Error) []Problem {
	for _, e := range found {
		about, ok := strings.CutPrefix(e.Message, syntaxError)
		if !ok && !reserved().MatchString(e.Message) {
			continue
		}
		p := at(e)
		p.Message, p.Fix = syntaxOf(strings.TrimSpace(about))
		p.Message = "broken condition: " + p.Message
		return []Problem{p}
	}
	return nil
}

// at returns the position of a library error.
func at(e *cel.Error) Problem {
	return Problem{Line: max(e.Location.Line(), 1), Column: max(e.Location.Column()+1, 1)}
}

// syntaxOf describes a syntax error without names of the library's grammar.
func syntaxOf(text string) (message, fix string) {
	if m := badToken().FindStringSubmatch(text); m != nil {
		sign := strings.TrimSpace(m[1])
		if strings.ContainsAny(sign[:min(1, len(sign))], `"'`) {
			return "a text is not closed on its line: " + sign, "end it with the quotation mark that it begins with"
		}
		return unexpected(sign)
	}
	if m := missing().FindStringSubmatch(text); m != nil {
		return m[1] + " is missing here", "close what was opened"
	}
	if m := reserved().FindStringSubmatch(text); m != nil {
		return unexpected(m[1])
	}
	m := badInput().FindStringSubmatch(text)
	switch {
	case m == nil:
		return text, anyCEL
	case m[1] == endOfText && strings.HasPrefix(m[2], "{"):
		return "it ends where a value is expected", "say what to compare with, such as size > 1000"
	case m[1] == endOfText:
		return "it ends where " + strings.Trim(m[2], "'") + " is expected", anyCEL
	case instead[m[1]] == "" && m[2] == endOfText:
		return fmt.Sprintf("it is complete before %q", m[1]), "join two conditions with && or ||, and put texts in quotation marks"
	}
	return unexpected(m[1])
}

func unexpected(sign string) (message, fix string) {
	fix = anyCEL
	if right := instead[sign]; right != "" {
		fix = "write " + right
	}
	return fmt.Sprintf("%q has no place here", sign), fix
}
