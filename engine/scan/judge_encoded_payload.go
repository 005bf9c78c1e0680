package scan

import "github.com/assent-dev/assent/engine/base/diag"

// encodedPayloads decodes text that looks encoded and scans it like a file. A finding
// that would escalate in plain text blocks if it was hidden.
func encodedPayloads(m *machine, d *document) []match {
	if d.depth >= maxDepth {
		return nil
	}
	var found []match
	seen := map[string]finding{} // results by text, which may be encoded many times
	for _, b := range d.blobs() {
		if kind := magic(b.decoded); kind.rule == ruleProgram || kind.rule == ruleArchive {
			found = append(found, match{start: b.start, end: b.end, severity: diag.Error, confidence: 0.9,
				message: "an encoded text hides a file: " + kind.name})
			continue
		}
		if !readableText(b.decoded) {
			continue
		}
		if address := string(b.decoded); d.placeOf(b.start)&(code|data) != 0 && hiddenAddress.MatchString(address) {
			found = append(found, match{start: b.start, end: b.end, severity: diag.Warning, confidence: 0.7,
				message: "an encoded text hides an address", evidence: "decoded: " + address})
		}
		worst, known := seen[string(b.decoded)]
		if !known {
			worst, _ = d.worstHidden("decoded.sh", string(b.decoded), plain)
			seen[string(b.decoded)] = worst
		}
		if worst.rule != nil {
			hit := match{start: b.start, end: b.end, severity: diag.Error, confidence: 0.9,
				message:  "an encoded text hides something that would be refused in plain: " + worst.rule.Summary,
				evidence: "decoded: " + string(b.decoded)}
			// Texts against injections show encoded orders; a person tells them apart.
			if worst.rule.Layer == Instructions && d.placeOf(b.start)&(plain|data) != 0 && d.aboutAttacks() {
				hit.lower(diag.Warning)
			}
			found = append(found, hit)
		}
	}
	return found
}

// hiddenAddress matches a decoded text that is a URL and nothing else.
var hiddenAddress = expr(`^\s*(?:https?|wss?|ftp|tcp)://[^\s]+\s*$`)

func worstOf(found []finding) (finding, bool) {
	var worst finding
	ok := false
	for _, f := range found {
		if (f.severity <= diag.Warning || f.rule.ID == ruleConceal && f.confidence >= leastGrown) && f.rule.Layer != Unicode && f.rule.Layer != Readable && (!ok || f.severity < worst.severity) {
			worst, ok = f, true
		}
	}
	return worst, ok
}
