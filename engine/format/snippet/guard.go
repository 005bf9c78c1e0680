package snippet

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/format/capability"
)

// shape describes the top-level function definitions of a language.
type shape struct {
	defines *regexp.Regexp // its first group is the function's name
	others  *regexp.Regexp // matches other definitions and statements that run nothing
}

var shapes = sync.OnceValue(func() map[capability.Runtime]shape {
	return map[capability.Runtime]shape{
		capability.Python: {
			regexp.MustCompile(`^(?:async[ \t]+)?def[ \t]+(\w+)`),
			regexp.MustCompile(`^(?:class\b|@|import\b|from\b|#|"""|''')`),
		},
		capability.Bash: {
			regexp.MustCompile(`^(?:function[ \t]+)?([A-Za-z_][\w-]*)[ \t]*(?:\([ \t]*\)|\{)`),
			regexp.MustCompile(`^(?:#|\w+=|set\b|shopt\b|export\b)`),
		},
		capability.Node: {
			regexp.MustCompile(`^(?:export[ \t]+)?(?:default[ \t]+)?(?:(?:async[ \t]+)?function[ \t]*\*?[ \t]*(\w+)|(?:const|let|var)[ \t]+(\w+)[ \t]*=[ \t]*(?:async[ \t]*)?(?:function\b|\w+[ \t]*=>|\([^)]*\)[ \t]*=>))`),
			regexp.MustCompile(`^(?:class\b|import\b|export\b|//|/\*|module\.exports\b|exports\.)`),
		},
	}
})

// maxDefined bounds the number of functions; code with more is not a snippet.
const maxDefined = 64

// NeverCalled returns the functions of a program that calls none of them. Such a program,
// for example Python without a main guard, succeeds without doing anything. The check
// relies on unindented lines, so it works for code in common layout. It returns nil if
// there is no such problem.
func NeverCalled(code string, lang capability.Runtime) []string {
	s, known := shapes()[lang]
	if !known {
		return nil
	}
	var defined []string
	var runs strings.Builder // code outside of definitions
	inside, before := false, ""
	for line := range strings.Lines(code) {
		margin := line[0] != ' ' && line[0] != '\t' && strings.TrimSpace(line) != ""
		if margin && !strings.ContainsRune("})]", rune(line[0])) {
			m := s.defines.FindStringSubmatch(line)
			inside = m != nil || s.others.MatchString(line)
			if m != nil {
				defined = append(defined, strings.Join(m[1:], ""))
			}
		}
		if text := strings.TrimSpace(line); text != "" {
			if !inside && !(lang != capability.Bash && onlyNames(text) && (margin || strings.HasSuffix(before, ":") || strings.HasSuffix(before, "{"))) {
				runs.WriteString(line)
			}
			before = text
		}
	}
	if len(defined) > maxDefined {
		return nil
	}
	for _, name := range defined {
		if mentions(runs.String(), name) {
			return nil
		}
	}
	return defined
}

// onlyNames reports whether a statement is just a name, which has no effect except in a
// shell.
func onlyNames(text string) bool {
	text = strings.TrimRight(text, "; ")
	return text != "" && strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf || !wordByte(byte(r)) }) < 0
}

// mentions reports whether text contains name as a word.
func mentions(text, name string) bool {
	for rest := text; ; {
		at := strings.Index(rest, name)
		if at < 0 || name == "" {
			return false
		}
		before, after := rest[:at], rest[at+len(name):]
		if (before == "" || !wordByte(before[len(before)-1])) && (after == "" || !wordByte(after[0])) {
			return true
		}
		rest = after
	}
}

func wordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// Guard returns the statement by which a program in the language calls function.
func Guard(lang capability.Runtime, function string) string {
	switch lang {
	case capability.Python:
		return `if __name__ == "__main__": print(json.dumps(` + function + `(json.loads(sys.argv[1]))))`
	case capability.Bash:
		return function + ` "$1"`
	}
	return "console.log(JSON.stringify(" + function + "(JSON.parse(process.argv[2]))))"
}
