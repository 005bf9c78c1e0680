package scan

import (
	"path"
	"strings"
)

// inPicture keeps matches in a picture: it has no use for the scripts that a page may hold.
func inPicture(d *document, _ *match) bool { return strings.EqualFold(path.Ext(d.path), ".svg") }
