package gitstore

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// checkCharset refuses a commit whose text git shows differently from its bytes. Git converts
// commits that have the header encoding to UTF-8, so only UTF-8 is read, and ASCII in charsets
// whose bytes below 0x80 are always ASCII. In all others (UTF-7, UTF-16, EBCDIC, escape
// sequences), git and assent could split lines differently.
func checkCharset(charset string, raw []byte) error {
	name := strings.ToLower(charset)
	switch {
	case name == "" || name == "utf-8" || name == "utf8":
		return nil
	case !supersetOfASCII(name):
		return bad(kindCommit, "has the encoding %q, which assent does not read", clip(charset))
	case slices.ContainsFunc(raw, func(c byte) bool { return c >= utf8.RuneSelf }):
		return bad(kindCommit, "has text beyond ASCII in the encoding %q; write commits in UTF-8 (git config i18n.commitEncoding UTF-8)", clip(charset))
	}
	return nil
}

// supersetOfASCII reports whether ASCII text keeps its meaning in a charset that git knows.
func supersetOfASCII(name string) bool {
	switch name {
	case "ascii", "us-ascii", "koi8-r", "koi8-u", "euc-jp", "eucjp", "euc-kr", "euc-cn", "gb2312", "gbk", "gb18030", "big5", "cp936", "cp949", "cp950",
		"iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1", "iso-8859-2", "iso8859-2", "latin2", "iso-8859-5", "iso8859-5", "iso-8859-15", "iso8859-15",
		"windows-1250", "cp1250", "windows-1251", "cp1251", "windows-1252", "cp1252":
		return true
	}
	return false
}
