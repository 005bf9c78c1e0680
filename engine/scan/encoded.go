package scan

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"
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

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
