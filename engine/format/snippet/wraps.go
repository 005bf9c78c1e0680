package snippet

import (
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/base/names"
)

// The ways in which code starts another tool. The first group is the tool's name.
var (
	imported = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^[ \t]*(?:from[ \t]+([A-Za-z_]\w{0,63})[ \t]+import\b|import[ \t]+([A-Za-z_]\w{0,63})\b)|\brequire\(\s*['"]([\w./-]{1,200})['"]`)
	})
	started = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\brun-tool\b['"]?[ \t]*,?[ \t]*['"]?([A-Za-z0-9_][\w-]{0,63})|\b(?:skills|acquired_skills)/([\w./-]{1,200})|\b([\w-]{1,64})/scripts/\w`)
	})
)

// Wraps returns the tool that code merely wraps. The code either imports it by name, and
// said, the output of running the code, complains about that; or it starts it by the path
// of its code or by assent run-tool. known resolves a spelling to the name of a tool.
// Wraps returns "" if there is no such tool.
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

// stem returns a file's name without folder and extension.
func stem(file string) string {
	base := path.Base(file)
	return strings.TrimSuffix(base, path.Ext(base))
}

// Folded returns the folder name for any spelling of a tool; empty if it is not valid.
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
