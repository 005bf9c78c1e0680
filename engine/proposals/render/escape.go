package render

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plain puts untrusted text on one line and makes visible the characters that terminals, editors
// and browsers would obey: control characters, characters that turn the direction of text,
// invisible ones, broken UTF-8.
//
//defence:reports-show-text
func plain(s string) string {
	var out strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && broken(s[i:]):
			fmt.Fprintf(&out, `\x%02x`, s[i])
		case r == '\t', r == '\n', r == '\r', r == '\u2028', r == '\u2029', r == '\u0085':
			out.WriteByte(' ')
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r):
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			out.WriteRune(r)
		}
	}
	return strings.TrimSpace(out.String())
}

func broken(s string) bool {
	_, size := utf8.DecodeRuneInString(s)
	return size == 1
}

// codeSpan shows untrusted text in a Markdown code span, where GitHub, Gitea and
// CommonMark know no mentions, links, references, HTML or emphasis. The fence is
// longer than any run of backticks inside.
func codeSpan(s string) string {
	s = plain(s)
	if s == "" {
		return ""
	}
	longest, run := 0, 0
	for _, r := range s {
		if r == '`' {
			run++
			longest = max(longest, run)
			continue
		}
		run = 0
	}
	fence := strings.Repeat("`", longest+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// commandData escapes the message of a GitHub workflow command.
func commandData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// commandProperty escapes a property of a GitHub workflow command.
func commandProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(plain(s))
}
