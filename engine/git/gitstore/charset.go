package gitstore

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// toUTF8 decodes text as git does: git shows and searches commits that have the header encoding
// in UTF-8. For multi-byte charsets in which bytes below 0x80 are always ASCII, only ASCII text
// is read. All others are refused, because git and assent could split their lines differently
// (UTF-7, UTF-16, EBCDIC, escape sequences).
func toUTF8(charset, text string) (string, error) {
	name := strings.ToLower(charset)
	if name == "" || name == "utf-8" || name == "utf8" {
		return text, nil
	}
	ascii := isASCII(text)
	table, known := singleBytes(name)
	switch {
	case ascii && (known || supersetOfASCII(name)):
		return text, nil
	case !known:
		return "", bad(kindCommit, "has the encoding %q, which assent does not read", clip(charset))
	}
	decoded, err := table.NewDecoder().String(text)
	if err != nil || strings.ContainsRune(decoded, utf8.RuneError) {
		return "", bad(kindCommit, "holds bytes that its encoding %q does not have", clip(charset))
	}
	return decoded, nil
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(c rune) bool { return c >= utf8.RuneSelf }) < 0
}

// singleBytes returns the single-byte charset of a name that both git and iconv know.
func singleBytes(name string) (*charmap.Charmap, bool) {
	switch name {
	case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1":
		return charmap.ISO8859_1, true
	case "iso-8859-2", "iso8859-2", "latin2":
		return charmap.ISO8859_2, true
	case "iso-8859-5", "iso8859-5":
		return charmap.ISO8859_5, true
	case "iso-8859-15", "iso8859-15":
		return charmap.ISO8859_15, true
	case "windows-1250", "cp1250":
		return charmap.Windows1250, true
	case "windows-1251", "cp1251":
		return charmap.Windows1251, true
	case "windows-1252", "cp1252":
		return charmap.Windows1252, true
	case "koi8-r":
		return charmap.KOI8R, true
	}
	return nil, false
}

// supersetOfASCII reports whether ASCII text keeps its meaning in a multi-byte charset, or one
// whose tables differ. Other bytes of it are not read.
func supersetOfASCII(name string) bool {
	switch name {
	case "ascii", "us-ascii", "koi8-u", "euc-jp", "eucjp", "euc-kr", "euc-cn", "gb2312", "gbk", "gb18030", "big5", "cp936", "cp949", "cp950":
		return true
	}
	return false
}
