package index

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed related.txt
var relatedText string

// related are for each term those that people use in its place.
var related = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(relatedText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var group []string
		for word := range strings.FieldsSeq(line) {
			if t := term([]byte(word)); !slices.Contains(group, t) {
				group = append(group, t)
			}
		}
		for _, t := range group {
			for _, other := range group {
				if other != t && !slices.Contains(out[t], other) {
					out[t] = append(out[t], other)
				}
			}
		}
	}
	return out
})
