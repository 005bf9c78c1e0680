package redact_test

import (
	"bytes"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"mime/quotedprintable"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/assent-dev/assent/engine/sandbox/redact"
)

const secret = `p4ss/w"rd+é%`

func TestSpellings(t *testing.T) {
	r := redact.New(map[string]string{"KEY": secret, "NEWLINE": "from-a-file\n"})
	quoted, err := json.Marshal(secret)
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{
		"itself":     secret,
		"JSON":       string(quoted),
		"query":      url.QueryEscape(secret),
		"path":       url.PathEscape(secret),
		"hex":        hex.EncodeToString([]byte(secret)),
		"HEX":        strings.ToUpper(hex.EncodeToString([]byte(secret))),
		"base32":     base32.StdEncoding.EncodeToString([]byte(secret)),
		"base64":     base64.StdEncoding.EncodeToString([]byte(secret)),
		"URL base64": base64.RawURLEncoding.EncodeToString([]byte(secret)),
		"basic auth": base64.StdEncoding.EncodeToString([]byte("u:" + secret + "!")),
		"shift 1":    base64.StdEncoding.EncodeToString([]byte("x" + secret)),
		"shift 2":    base64.StdEncoding.EncodeToString([]byte("xy" + secret + "xy")),
		"twice":      secret + secret,
		"capitals":   strings.ToUpper(secret),
		"small":      strings.ToLower(secret),
		"HTML":       html.EscapeString(secret),
		"entities":   entities(secret, "&#%d;"),
		"entities x": entities(secret, "&#x%x;"),
		"printable":  strings.TrimPrefix(quoted76(strings.Repeat("x", 70)+secret), strings.Repeat("x", 70)),
		"PRINTABLE":  entities(secret[:2], "=%02X") + "=\r\n" + entities(secret[2:], "=%02X"),
		"from-file":  "from-a-file",
		"title":      strings.ToTitle(secret[:1]) + secret[1:],
		"swapped":    "P4sS/w\"Rd+É%",
		"Python":     strings.ReplaceAll(strings.ReplaceAll(secret, `"`, "&quot;"), "é", "&eacute;"),
		"JavaScript": strings.NewReplacer("/", "%2F", `"`, "%22", "é", "%c3%A9", "%", "%25").Replace(secret),
		"escapes":    strings.NewReplacer("/", `\/`, `"`, `\x22`, "é", `\u00e9`).Replace(secret),
		"mixed":      strings.NewReplacer("4", "&#x34;", "/", "=2F", "w", "%77").Replace(secret),
	} {
		got := r.String("before " + text + " after")
		if !strings.Contains(got, "[redacted:") || strings.Contains(got, text) || !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") {
			t.Errorf("%s: %q", what, got)
		}
	}
	for _, text := range []string{"", "harmless", secret[:5]} {
		if got := r.String(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	var none *redact.Redactor
	if got := none.String("as it is"); got != "as it is" {
		t.Error(got)
	}
}

// entities formats each byte with format.
func entities(text, format string) string {
	out := ""
	for _, b := range []byte(text) {
		out += fmt.Sprintf(format, b)
	}
	return out
}

// quoted76 encodes as quoted-printable in lines of 76 characters.
func quoted76(text string) string {
	var b strings.Builder
	w := quotedprintable.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.String()
}

// TestWrapped: encoders break lines and separate bytes. Nothing of the value remains, and text
// is redacted in the same way for any split into writes.
func TestWrapped(t *testing.T) {
	key := strings.Repeat("k3y-", 22) + "+/"
	r := redact.New(map[string]string{"KEY": key})
	base64s, base32s := base64.StdEncoding.EncodeToString, base32.StdEncoding.EncodeToString
	wrapped := func(text, end string, width int) string {
		var out strings.Builder
		for i := 0; i < len(text); i += width {
			out.WriteString(text[i:min(i+width, len(text))] + end)
		}
		return out.String()
	}
	for what, text := range map[string]string{
		"base64":               wrapped(base64s([]byte(key)), "\n", 76),
		"CRLF":                 wrapped(base64s([]byte("xy"+key)), "\r\n", 64),
		"base64 in JSON":       wrapped(base64s([]byte("x"+key+"x")), `\n`, 76),
		"base32":               wrapped(base32s([]byte(key)), "\n", 76),
		"base32 shift 1":       wrapped(base32s([]byte("x"+key)), "\n", 76),
		"base32 shift 2":       base32s([]byte("xy" + key + "x")),
		"base32 shift 3":       base32s([]byte("xyz" + key)),
		"base32 shift 4":       base32s([]byte("xyza" + key + "xyz")),
		"lines of hexadecimal": wrapped(hex.EncodeToString([]byte(key)), "\n", 60),
		"hexadecimal, as od":   wrapped(wrapped(hex.EncodeToString([]byte(key)), " ", 2), "\n ", 48),
		"hexadecimal, colons":  strings.ToUpper(wrapped(hex.EncodeToString([]byte(key)), ":", 2)),
	} {
		want := r.String(text)
		rest := strings.Replace(want, "[redacted:KEY]", "", 1)
		if len(rest) == len(want) || len(rest) > 24 {
			t.Errorf("%s: %q", what, want)
		}
		for cut := range len(text) {
			var out bytes.Buffer
			w := redact.NewWriter(&out, r)
			for _, part := range []string{text[:cut], text[cut:]} {
				if _, err := w.Write([]byte(part)); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Flush(); err != nil || out.String() != want {
				t.Fatalf("%s, cut at %d: %q, want %q, %v", what, cut, out.String(), want, err)
			}
		}
		got, err := io.ReadAll(redact.NewReader(iotest.OneByteReader(strings.NewReader(text)), r))
		if err != nil || string(got) != want {
			t.Fatalf("%s, byte by byte: %q, want %q, %v", what, got, want, err)
		}
	}
	// Widely spaced text is not the value, and is not held back.
	var out bytes.Buffer
	far := base64s([]byte(key))[:20] + strings.Repeat("\n", 9)
	if _, err := redact.NewWriter(&out, r).Write([]byte(far)); err != nil || out.String() != far {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// TestLines: a value of several lines is found line by line, with any text between.
func TestLines(t *testing.T) {
	r := redact.New(map[string]string{"KEY": "-----BEGIN KEY-----\nMIIEowIBAAKCAQEA\n}\n"})
	got := r.String("  1 > -----BEGIN KEY-----\n  2 > MIIEowIBAAKCAQEA\n  3 > }")
	if got != "  1 > [redacted:KEY]\n  2 > [redacted:KEY]\n  3 > }" {
		t.Errorf("%q", got)
	}
	if got := r.String("-----BEGIN KEY-----\r\nMIIEowIBAAKCAQEA\r\n}\r\n"); strings.Contains(got, "MII") {
		t.Errorf("%q", got)
	}
}

// TestWriter: the longest of several values with a common start is redacted, and final text is
// not held back.
func TestWriter(t *testing.T) {
	r := redact.New(map[string]string{"SHORT": "abcd", "LONG": "abcdefgh"})
	var out bytes.Buffer
	w := redact.NewWriter(&out, r)
	for _, step := range []struct{ write, shown string }{
		{"x", "x"},
		{"line\n", "line\n"},
		{"yab", "y"},
		{"cd", ""},
		{"efg", ""},
		{"h", "[redacted:LONG]"},
		{"abcd", ""},
		{"e!", "[redacted:SHORT]e!"},
		{"abc", ""},
	} {
		out.Reset()
		if n, err := w.Write([]byte(step.write)); n != len(step.write) || err != nil {
			t.Fatal(n, err)
		}
		if out.String() != step.shown {
			t.Errorf("after %q came %q, want %q", step.write, out.String(), step.shown)
		}
	}
	out.Reset()
	if err := w.Flush(); err != nil || out.String() != "abc" {
		t.Errorf("at the end came %q, %v", out.String(), err)
	}
}

// FuzzRedactor: Reader and Writer redact text in the same way for any split, and no value
// remains.
func FuzzRedactor(f *testing.F) {
	f.Add("abcd", "abcdefgh", "xabcdefghabcabcd", 3)
	f.Add("aaaa", "aaaaa", "aaaaaaaaaaaaaa", 1)
	f.Add("aXYa", "YaXY", "aXYaXYaXYaXYa", 2)
	f.Add("ab&cd\n12345678", "é%41\\", "&#x61;b&amp;cd =C3=A9%41\\\\ \\u00e9&#195;&#169;%2541 ab&cd\r12345678", 7)
	f.Add("abcd", "YWJj", "YW\nJj\\r\\nZA 61 62:63\\n64 \\", 4)
	f.Fuzz(func(t *testing.T, a, b, text string, at int) {
		r := redact.New(map[string]string{"A": a, "B": b})
		want := r.String(text)
		for _, value := range []string{strings.TrimSpace(a), strings.TrimSpace(b)} {
			if len(value) >= redact.Shortest && strings.Contains(want, value) && !strings.Contains("[redacted:A][redacted:B]", value) && !spansLabel(want, value) {
				t.Fatalf("%q is still in %q", value, want)
			}
		}
		cut := 0
		if len(text) > 0 {
			cut = int(uint(at) % uint(len(text)))
		}
		var out bytes.Buffer
		w := redact.NewWriter(&out, r)
		for _, part := range []string{text[:cut], text[cut:]} {
			if _, err := w.Write([]byte(part)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil || out.String() != want {
			t.Fatalf("written in two: %q, want %q", out.String(), want)
		}
		got, err := io.ReadAll(redact.NewReader(iotest.OneByteReader(strings.NewReader(text)), r))
		if err != nil || string(got) != want {
			t.Fatalf("read byte by byte: %q, want %q, %v", got, want, err)
		}
	})
}

// spansLabel reports whether a value appears only together with an inserted label.
func spansLabel(text, value string) bool {
	for _, part := range strings.FieldsFunc(strings.NewReplacer("[redacted:A]", "\x00", "[redacted:B]", "\x00").Replace(text), func(r rune) bool { return r == 0 }) {
		if strings.Contains(part, value) {
			return false
		}
	}
	return true
}
