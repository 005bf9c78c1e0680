package policy

import (
	"path"
	"strings"
)

// globMatch reports whether name matches pattern. '**' matches any number of whole segments;
// the rest is path.Match within a segment.
func globMatch(pattern, name string) bool {
	return matchSegments(strings.Split(pattern, "/"), strings.Split(name, "/"))
}

func matchSegments(pattern, name []string) bool {
	// reach[i] says that the pattern so far matches the first i segments; going
	// through the pattern once keeps many '**' from costing exponential time.
	reach := make([]bool, len(name)+1)
	reach[0] = true
	for _, p := range pattern {
		next := make([]bool, len(name)+1)
		for i, ok := range reach {
			switch {
			case p == "**":
				next[i] = ok || i > 0 && next[i-1]
			case i > 0 && reach[i-1]:
				matched, err := path.Match(p, name[i-1])
				next[i] = err == nil && matched
			}
		}
		reach = next
	}
	return reach[len(name)]
}

// checkGlob returns why a pattern is unusable, or nil.
func checkGlob(pattern string) error {
	for p := range strings.SplitSeq(pattern, "/") {
		if _, err := path.Match(p, ""); err != nil {
			return err
		}
	}
	return nil
}
