package program

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"io"
	"net/url"
	"strings"
	"unicode/utf8"
)

// decoder names an encoding that programs undo.
type decoder int

const (
	decodeBase64 decoder = iota
	decodeBase32
	decodeHex
	decodeRot13
	decodeURL
	decodeReverse
	inflate
	decodeOther
)

// decode returns v decoded. An unknown value stays unknown but is marked Decoded.
// Only encodings that hide letters from a reader mark the value Disguised.
func decode(v Value, how decoder) Value {
	out := mixed(v)
	if how != decodeURL && how != decodeReverse {
		out.Origin |= Decoded
	}
	if !v.Known {
		return out
	}
	text, ok := decodeText(v.Text, how)
	if !ok {
		return out
	}
	out.Text, out.Known, out.Disguised = clip(text), true, out.Disguised || how != decodeURL
	return out
}

func decodeText(s string, how decoder) (string, bool) {
	switch how {
	case decodeBase64:
		return anyBase64(s)
	case decodeBase32:
		b, err := base32.StdEncoding.DecodeString(strings.TrimSpace(s))
		return string(b), err == nil
	case decodeHex:
		b, err := hex.DecodeString(strings.Map(dropBlank, s))
		return string(b), err == nil
	case decodeRot13:
		return strings.Map(rot13, s), true
	case decodeURL:
		out, err := url.PathUnescape(s)
		return out, err == nil
	case decodeReverse:
		return reverse(s), true
	case inflate:
		return unpack(s)
	}
	return "", false
}

func anyBase64(s string) (string, bool) {
	s = strings.TrimRight(strings.Map(dropBlank, s), "=")
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if b, err := enc.DecodeString(s); err == nil {
			return string(b), true
		}
	}
	return "", false
}

func dropBlank(r rune) rune {
	if r == ' ' || r == '\n' || r == '\r' || r == '\t' {
		return -1
	}
	return r
}

func rot13(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z':
		return 'a' + (r-'a'+13)%26
	case r >= 'A' && r <= 'Z':
		return 'A' + (r-'A'+13)%26
	}
	return r
}

func reverse(s string) string {
	if !utf8.ValidString(s) {
		b := []byte(s)
		for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
			b[i], b[j] = b[j], b[i]
		}
		return string(b)
	}
	r := []rune(s)
	for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
		r[i], r[j] = r[j], r[i]
	}
	return string(r)
}

// unpack undoes gzip, zlib or raw deflate, up to maxText bytes of text.
func unpack(s string) (string, bool) {
	open := []func(io.Reader) (io.Reader, error){
		func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) },
		func(r io.Reader) (io.Reader, error) { return flate.NewReader(r), nil },
	}
	for _, o := range open {
		r, err := o(strings.NewReader(s))
		if err != nil {
			continue
		}
		var out bytes.Buffer
		if _, err := io.Copy(&out, io.LimitReader(r, maxText)); err == nil && out.Len() > 0 && utf8.Valid(out.Bytes()) {
			return out.String(), true
		}
	}
	return "", false
}

// unescape undoes the backslash escapes that Python, JavaScript and $'...' of
// the shell share. hid says that a letter or digit was escaped, which is never
// necessary.
func unescape(s string) (text string, hid bool) {
	if !strings.Contains(s, "\\") {
		return s, false
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		r, n, coded := escape(s[i:])
		i += n
		if r < 0 {
			continue
		}
		hid = hid || coded && r < 0x80 && (r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
		b.WriteRune(r)
	}
	return b.String(), hid
}

// escape reads one escape at the start of s, which has at least two bytes. It
// returns the escaped character, or -1, and the length of the escape.
func escape(s string) (r rune, n int, coded bool) {
	digits := func(from, most, base int) (rune, int, bool) {
		v, i := 0, from
		for i < len(s) && i-from < most {
			d := strings.IndexByte("0123456789abcdef", lower(s[i]))
			if d < 0 || d >= base {
				break
			}
			v = v*base + d
			i++
		}
		if i == from {
			return rune(s[1]), 2, false
		}
		return rune(v), i, true
	}
	switch c := s[1]; c {
	case 'n':
		return '\n', 2, false
	case 't':
		return '\t', 2, false
	case 'r':
		return '\r', 2, false
	case '\n':
		return -1, 2, false
	case 'x':
		return digits(2, 2, 16)
	case 'u':
		if len(s) > 2 && s[2] == '{' {
			if end := strings.IndexByte(s[:min(len(s), 12)], '}'); end > 0 {
				r, _, coded := digits(3, 6, 16)
				return r, end + 1, coded
			}
		}
		return digits(2, 4, 16)
	case 'U':
		return digits(2, 8, 16)
	case '0', '1', '2', '3', '4', '5', '6', '7':
		return digits(1, 3, 8)
	default:
		r, size := utf8.DecodeRuneInString(s[1:])
		return r, 1 + size, false
	}
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
