package snippet

import (
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/base/names"
)

// The ways in which code tries to start another tool. The first group names it.
var (
	imported = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^[ \t]*(?:from[ \t]+([A-Za-z_]\w{0,63})[ \t]+import\b|import[ \t]+([A-Za-z_]\w{0,63})\b)|\brequire\(\s*['"]([\w./-]{1,200})['"]`)
	})
	started = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\brun-tool\b['"]?[ \t]*,?[ \t]*['"]?([A-Za-z0-9_][\w-]{0,63})|\b(?:skills|acquired_skills)/([\w./-]{1,200})|\b([\w-]{1,64})/scripts/\w`)
	})
)

// Wraps finds the tool that code only wraps: it imports one by its name and said, what
// became of running it, complains about that; or it starts one by the path of its code
// or by assent run-tool. known answers the name of a tool for a spelling of it; a name
// that it does not know is none. Empty where nothing is wrapped.
func Wraps(code, said string, known func(spelling string) (name string, ok bool)) string {
	for _, m := range imported().FindAllStringSubmatch(code, -1) {
		spelling := m[1] + m[2] + stem(m[3])
		if name, ok := known(spelling); ok && mentions(said, m[1]+m[2]+m[3]) {
			return name
		}
	}
	for _, m := range started().FindAllStringSubmatch(code, -1) {
		for _, spelling := range strings.Split(m[1]+m[2]+m[3], "/") {
			if name, ok := known(stem(spelling)); ok {
				return name
			}
		}
	}
	return ""
}

// stem is a file's name without folder and ending.
func stem(file string) string {
	base := path.Base(file)
	return strings.TrimSuffix(base, path.Ext(base))
}

// Folded is the name of the folder for any spelling of a tool; empty for what is none.
func Folded(spelling string) string {
	if names.IsName(spelling) {
		return spelling
	}
	folder, found := names.FoldTool(spelling)
	if found.HasErrors() {
		return ""
	}
	return folder
}
