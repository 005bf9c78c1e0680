package redact

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// spellings are the forms in which a value of at least Shortest bytes is looked for,
// each once: itself; in JSON and in URLs; in hexadecimal; in base32; and in base64 at each of the three
// places at which it can begin inside something longer, as in "user:password".
func spellings(value string) []string {
	out := []string{value, url.QueryEscape(value), url.PathEscape(value), percent(value)}
	out = append(out, strings.ToLower(percent(value)))
	if quoted, err := json.Marshal(value); err == nil {
		out = append(out, string(quoted[1:len(quoted)-1]))
	}
	small := hex.EncodeToString([]byte(value))
	out = append(out, small, strings.ToUpper(small))
	out = append(out, strings.TrimRight(base32.StdEncoding.EncodeToString([]byte(value)), "="))
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		out = append(out, enc.EncodeToString([]byte(value)))
		for shift := range 3 {
			out = append(out, inside(enc, value, shift))
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return slices.DeleteFunc(out, func(s string) bool { return len(s) < Shortest })
}

// inside is what base64 of a longer text has for a value that begins shift bytes
// after a multiple of three: without the digits that its neighbours share.
func inside(enc *base64.Encoding, value string, shift int) string {
	padded := strings.Repeat("\x00", shift) + value
	digits := enc.EncodeToString([]byte(padded))
	first := (shift*8 + 5) / 6
	whole := len(padded) * 8 / 6
	if first >= whole {
		return ""
	}
	return digits[first:whole]
}

// percent encodes every byte, as a cautious program does.
func percent(value string) string {
	var b strings.Builder
	for i := range len(value) {
		b.WriteString("%" + strings.ToUpper(hex.EncodeToString([]byte{value[i]})))
	}
	return b.String()
}
