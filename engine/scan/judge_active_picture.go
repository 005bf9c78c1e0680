package scan

import (
	"path"
	"strings"
)

// inPicture: what a page may hold, a picture has no use for.
func inPicture(d *document, _ *match) bool { return strings.EqualFold(path.Ext(d.path), ".svg") }
