package program

import (
	"strconv"
	"strings"
)

// maxFolded bounds the statements whose constants are put together, in bytes.
const maxFolded = 16 << 10

var (
	twoTexts    = late(`(?:'([^'"\n\\$#]*)'|"([^'"\n\\$#]*)")\s*[.+]\s*(?:'([^'"\n\\$#]*)'|"([^'"\n\\$#]*)")`)
	turnedText  = late(`(?i)(?:\bstrrev\s*\(\s*|\breverse\s*\(?\s*)['"]([^'"\n\\$]*)['"]\s*\)?|['"]([^'"\n\\$]*)['"]\.reverse\b`)
	rotated     = late(`(?i)\bstr_rot13\s*\(\s*['"]([^'"\n\\$]*)['"]\s*\)`)
	oneLetter   = late(`(?i)(?:\bchr\s*\(\s*|\[char\]\s*\(?\s*|\bchr\s+)(0x[0-9a-f]+|\d{1,3})\b\s*\)?|\b(\d{2,3})\.chr\b`)
	letterList  = late(`(?i)(?:[\[(@]|'[CcUW]\*?'\s*,)\s*((?:0x[0-9a-f]{2}|\d{1,3})(?:\s*,\s*(?:0x[0-9a-f]{2}|\d{1,3})){3,})\s*[\])](?:\s*\.pack\s*\(?\s*['"][CcUW]\*?['"]\s*\)?)?`)
	joinedWords = late(`%w[\[({<]([^\])}>\n]*)[\])}>]\.join\(?\s*['"]?([^'"()\n]{0,3})['"]?\)?`)
	joinedList  = late(`(?i)\[((?:\s*['"][^'"\n]*['"]\s*,?)+)\]\.join\(?\s*['"]?([^'"()\n]{0,3})['"]?\)?|(?:\bimplode\s*\(|\bjoin\s*\(?)\s*['"]([^'"\n]{0,3})['"]\s*,\s*[\[(]?((?:\s*['"][^'"\n]*['"]\s*,?){2,})[\])]*|-join\s*\(((?:\s*['"][^'"\n]*['"]\s*,?)+)\)`)
	aText       = late(`'([^'\n]*)'|"([^"\n]*)"`)
	escaped     = late(`\\x[0-9a-fA-F]{2}|\\u\{?[0-9a-fA-F]{2,4}\}?`)
	calledVar   = late(`(\$\w+)\s*\(`)
	readVar     = late(`\$\{?(\w+)\}?`)
)

// fold puts the constants of a statement together: texts that are added, reversed,
// joined or spelled by numbers, and variables that hold one. hid says that letters were
// hidden so.
func (o *outline) fold(text string) (folded string, hid bool) {
	if len(text) > maxFolded {
		return text, false
	}
	if o.lang == PowerShell {
		text = strings.ReplaceAll(text, "`", "")
	}
	was := text
	if o.lang == Compiled && strings.Contains(text, "Join(") {
		text = joinedPath().ReplaceAllStringFunc(text, joinPath)
	}
	text = o.fill(text)
	lower := strings.ToLower(text)
	joins := strings.ContainsAny(text, ".+") && strings.Count(text, "'")+strings.Count(text, `"`) >= 4
	if !joins && !strings.Contains(text, `\`) && !containsAny(lower, "pack", "chr", "char", "join", "implode", "reverse", "strrev", "rot13") {
		return text, false
	}
	text = escaped().ReplaceAllStringFunc(text, func(s string) string {
		n, err := strconv.ParseUint(strings.Trim(s[2:], "{}"), 16, 32)
		if err != nil || n < ' ' || n == '"' || n == '\'' || n > '~' {
			return s
		}
		return string(rune(n))
	})
	hid = text != was && strings.Contains(was, `\x`)
	if lower = strings.ToLower(text); strings.Contains(lower, "pack") || strings.Contains(lower, "chr") || strings.Contains(lower, "char") {
		spelled := letterList().ReplaceAllStringFunc(text, func(s string) string { return spell(letterList().FindStringSubmatch(s)[1], s) })
		spelled = oneLetter().ReplaceAllStringFunc(spelled, func(s string) string {
			m := oneLetter().FindStringSubmatch(s)
			return spell(m[1]+m[2], s)
		})
		hid = hid || spelled != text
		text = spelled
	}
	if containsAny(lower, "join", "implode") {
		text = joinLists(text)
	}
	if strings.Contains(lower, "rev") {
		text = turnedText().ReplaceAllStringFunc(text, func(s string) string {
			m := turnedText().FindStringSubmatch(s)
			hid = true
			return "'" + reverse(m[1]+m[2]) + "'"
		})
	}
	if strings.Contains(lower, "rot13") {
		text = rotated().ReplaceAllStringFunc(text, func(s string) string {
			hid = true
			return "'" + strings.Map(rot13, rotated().FindStringSubmatch(s)[1]) + "'"
		})
	}
	for range 12 {
		next := twoTexts().ReplaceAllString(text, "'${1}${2}${3}${4}'")
		if next == text {
			break
		}
		text = next
	}
	return text, hid
}

// joinLists writes lists of texts that are joined as one.
func joinLists(text string) string {
	text = joinedWords().ReplaceAllStringFunc(text, func(s string) string {
		m := joinedWords().FindStringSubmatch(s)
		return "'" + strings.Join(strings.Fields(m[1]), m[2]) + "'"
	})
	text = joinedList().ReplaceAllStringFunc(text, func(s string) string {
		m := joinedList().FindStringSubmatch(s)
		var parts []string
		for _, t := range aText().FindAllStringSubmatch(m[1]+m[4]+m[5], -1) {
			parts = append(parts, t[1]+t[2])
		}
		return "'" + strings.Join(parts, m[2]+m[3]) + "'"
	})
	return text
}

var joinedPath = late(`\b(?:filepath|path)\.Join\(([^()\n]*)\)`)

// joinPath writes the parts of a path as one; a part that is not constant is a home folder.
func joinPath(call string) string {
	var parts []string
	for part := range strings.SplitSeq(joinedPath().FindStringSubmatch(call)[1], ",") {
		if part = strings.TrimSpace(part); strings.HasPrefix(part, `"`) {
			parts = append(parts, strings.Trim(part, `"`))
		} else {
			parts = append(parts, "~")
		}
	}
	return `"` + strings.Join(parts, "/") + `"`
}

// spell writes a list of numbers as the text that they spell, or leaves it.
func spell(list, source string) string {
	var b strings.Builder
	for _, n := range strings.Split(list, ",") {
		c, ok := whole(strings.TrimSpace(n))
		if !ok || c < '\t' || c > '~' || c == '\'' || c == '"' {
			if c == '\'' || c == '"' {
				c = '`'
			} else {
				return source
			}
		}
		b.WriteByte(byte(c))
	}
	return "'" + b.String() + "'"
}

// fill writes variables that hold one constant out.
func (o *outline) fill(text string) string {
	if len(o.fixed) == 0 || o.bare() {
		return text
	}
	text = calledVar().ReplaceAllStringFunc(text, func(s string) string {
		name, _, _ := strings.Cut(s, "(")
		if v, ok := o.fixed[o.key(strings.TrimSpace(name))]; ok && v.Known && plainName(v.Text) {
			return v.Text + "("
		}
		return s
	})
	if len(text) > maxFolded/4 {
		return text
	}
	left := true
	filled := readVar().ReplaceAllStringFunc(text, func(s string) string {
		first := left && strings.HasPrefix(strings.TrimSpace(text), s)
		left = false
		if v, ok := o.fixed[o.key(strings.Trim(s, "${}"))]; ok && v.Known && !first && !strings.ContainsAny(v.Text, "'\"") && len(v.Text) < 200 && !strings.Contains(text, `"`) {
			return "'" + v.Text + "'"
		}
		return s
	})
	if len(filled) > maxFolded {
		return text
	}
	return filled
}

func plainName(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '_' && c != '-' && !letter(rune(c)) && (c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
