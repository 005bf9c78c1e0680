package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

func encodedBlobs(_ *machine, d *document) []match {
	var found []match
	blobs := d.blobs()
	if len(blobs) == maxBlobs {
		d.unread = true // the blobs after these were not decoded
	}
	for _, b := range blobs {
		if b.end-b.start > maxDecoded && !embeddedAsset(d, b) {
			d.unread = true
		}
		if b.end-b.start >= longBlob && !embeddedAsset(d, b) {
			found = append(found, match{start: b.start, end: min(b.end, b.start+80), severity: diag.Note, confidence: 0.5})
		}
	}
	return found
}

func embeddedAsset(d *document, b blob) bool {
	return magic(b.decoded).rule == ruleAsset || strings.Contains(d.text[max(0, b.start-40):b.start], "data:")
}
