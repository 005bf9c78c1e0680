package scan

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/diag"
)

const (
	// minBlob is the shortest encoded text that can hold a command worth hiding.
	minBlob = 24
	// longBlob is where an encoded text is worth mentioning by itself.
	longBlob = 600
	// maxBlobs and maxDecoded bound the work on one document.
	maxBlobs   = 200
	maxDecoded = 256 << 10
)

// blob is an encoded stretch and what it decodes to.
type blob struct {
	span
	decoded []byte
}

// encodedPayloads decodes what looks encoded and scans it like a file; anything
// that would escalate in plain blocks when it was hidden.
func encodedPayloads(m *machine, d *document) []match {
	if d.depth >= maxDepth {
		return nil
	}
	var found []match
	for _, b := range blobs(d) {
		if kind := magic(b.decoded); kind.rule == ruleProgram || kind.rule == ruleArchive {
			found = append(found, match{start: b.start, end: b.end, severity: diag.Error, confidence: 0.9,
				message: "an encoded text hides a file: " + kind.name})
			continue
		}
		if !readableText(b.decoded) {
			continue
		}
		if address := string(b.decoded); d.placeOf(b.start)&code != 0 && hiddenAddress().MatchString(address) {
			found = append(found, match{start: b.start, end: b.end, severity: diag.Warning, confidence: 0.7,
				message: "an encoded text hides an address", evidence: "decoded: " + address})
		}
		inner := newDocument("decoded.sh", string(b.decoded), nil)
		inner.regions = []region{{span{0, len(inner.text)}, plain}}
		inner.depth = d.depth + 1
		if worst, ok := worstOf(m.scan(inner)); ok {
			found = append(found, match{start: b.start, end: b.end, severity: diag.Error, confidence: 0.9,
				message:  "an encoded text hides something that would be refused in plain: " + worst.rule.Summary,
				evidence: "decoded: " + string(b.decoded)})
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
		if f.severity <= diag.Warning && f.rule.Layer != Unicode && f.rule.Layer != Readable && (!ok || f.severity < worst.severity) {
			worst, ok = f, true
		}
	}
	return worst, ok
}

func encodedBlobs(_ *machine, d *document) []match {
	var found []match
	for _, b := range blobs(d) {
		if b.end-b.start >= longBlob && !embeddedAsset(d, b) {
			found = append(found, match{start: b.start, end: min(b.end, b.start+80), severity: diag.Note, confidence: 0.5})
		}
	}
	return found
}

func embeddedAsset(d *document, b blob) bool {
	return magic(b.decoded).rule == ruleAsset || strings.Contains(d.text[max(0, b.start-40):b.start], "data:")
}

// blobs finds maximal runs of base64 or hexadecimal digits. A run may stand on
// many lines; short ones must look encoded, or every path would be tried.
func blobs(d *document) []blob {
	var found []blob
	for i := 0; i < len(d.text) && len(found) < maxBlobs; {
		if !encodedByte(d.text[i]) {
			i++
			continue
		}
		end := i
		for end < len(d.text) && encodedByte(d.text[end]) {
			end++
		}
		if end-i >= minBlob {
			if decoded := decode(d.text[i:end]); decoded != nil {
				found = append(found, blob{span{i, end}, decoded})
			}
		}
		i = end
	}
	return found
}

func encodedByte(c byte) bool {
	return wordByte(c) || c == '+' || c == '/' || c == '=' || c == '-'
}

// decode returns what s encodes, or nil if it is no encoding that holds text or
// a known file.
func decode(s string) []byte {
	s = s[:min(len(s), maxDecoded)]
	if decoded, err := hex.DecodeString(s[:len(s)&^1]); err == nil {
		return meaningful(decoded)
	}
	body := strings.TrimRight(s, "=")
	if i := strings.IndexByte(body, '='); i >= 0 {
		body = body[i+1:]
	}
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if decoded, err := enc.DecodeString(body[:len(body)-cutTail(body)]); err == nil {
			return meaningful(decoded)
		}
	}
	return nil
}

// cutTail returns how many characters to drop for a decodable length.
func cutTail(body string) int {
	if len(body)%4 == 1 {
		return 1
	}
	return 0
}

func meaningful(decoded []byte) []byte {
	if len(decoded) < minBlob/2 {
		return nil
	}
	if kind := magic(decoded); kind.rule != "" || readableText(decoded) {
		return decoded
	}
	return nil
}

// readableText reports whether decoded is text: valid but for a cut tail, and
// almost all of it printable. Random bytes pass with a chance below 1e-6.
func readableText(decoded []byte) bool {
	total, odd := 0, 0
	for i := 0; i < len(decoded); {
		r, n := utf8.DecodeRune(decoded[i:])
		if r == utf8.RuneError && n == 1 && i < len(decoded)-3 {
			return false
		}
		if !unicode.IsPrint(r) && r != '\n' && r != '\t' && r != '\r' {
			odd++
		}
		total++
		i += n
	}
	return total > 0 && odd*50 <= total
}
