package output

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/cli/console"
)

// Ignored names the files below the paths (everywhere, if there are none) that .gitignore left
// out; "" if none.
func Ignored(left, below []string) string {
	const most = 5
	left = slices.DeleteFunc(slices.Clone(left), func(name string) bool {
		return len(below) > 0 && !slices.ContainsFunc(below, func(p string) bool {
			return p == "." || name == p || strings.HasPrefix(name, p+"/") || strings.HasPrefix(p, name)
		})
	})
	if len(left) == 0 {
		return ""
	}
	more := ""
	if n := len(left) - most; n > 0 {
		left, more = left[:most], fmt.Sprintf(" and %d more", n)
	}
	return "left out, because .gitignore excludes them: " + console.OneLine(strings.Join(left, ", ")) + more
}
