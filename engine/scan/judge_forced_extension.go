package scan

import (
	"slices"
	"strings"
)

// judgeForcedExtension drops the makers' own stores.
func judgeForcedExtension(d *document, m *match) bool {
	near := d.text[m.start:min(len(d.text), m.end+before)]
	for _, loc := range urlHost.FindAllStringIndex(near, 4) {
		name := destination(near[loc[0]:loc[1]])
		if !slices.ContainsFunc([]string{"google.com", "microsoft.com", "mozilla.org", "mozilla.net"}, func(maker string) bool { return name == maker || strings.HasSuffix(name, "."+maker) }) {
			return !d.inComment(m.start) && softenShown(d, m)
		}
	}
	return false
}
