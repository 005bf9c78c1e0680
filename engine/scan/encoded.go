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

// blob is an encoded stretch with its decoded bytes.
type blob struct {
	span
	decoded []byte
}

// blobsOf finds maximal runs of base64 or hexadecimal digits. A run may stand on
// many lines; short ones must look encoded, or every path would be tried. One of
// minBlob bytes covers an offset that minBlob divides, so only those are looked at.
func blobsOf(text string) []blob {
	var found []blob
	last := 0 // where the run before ended
	for i := 0; i < len(text) && len(found) < maxBlobs; i += minBlob {
		if i < last || !encodedByte(text[i]) {
			continue
		}
		start, end := i, i
		for start > last && encodedByte(text[start-1]) {
			start--
		}
		for end < len(text) && encodedByte(text[end]) {
			end++
		}
		if last = end; end-start >= minBlob {
			if decoded := decode(text[start:end]); decoded != nil {
				found = append(found, blob{span{start, end}, decoded})
			}
		}
	}
	return found
}

// encodedByte reports whether c is a byte of base64, of its form for addresses, or
// of hexadecimal: one bit for each character below 64, and from 64 on.
func encodedByte(c byte) bool {
	const low = 0x3ff<<'0' | 1<<'+' | 1<<'-' | 1<<'/' | 1<<'='
	const high = 0x3ffffff<<('A'-64) | 1<<('_'-64) | 0x3ffffff<<('a'-64)
	switch c >> 6 {
	case 0:
		return uint64(low)>>c&1 != 0
	case 1:
		return uint64(high)>>(c-64)&1 != 0
	}
	return false
}

// decode returns the decoded bytes of s, or nil if s is not an encoding of text or
// of a known file.
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
