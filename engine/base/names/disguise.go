package names

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// isDotGit reports names that some system opens as ".git": other case, ignorable characters
// (HFS+), trailing dots and spaces, streams and short names (NTFS), and look-alikes that
// mislead a reviewer. The list follows Git's own protectHFS and protectNTFS.
func isDotGit(name string) bool {
	plain := skeleton(withoutMarks(foldText(name)))
	plain, _, _ = strings.Cut(plain, ":")
	plain = strings.Trim(plain, " ")
	plain = strings.TrimRight(plain, " .")
	if plain == ".git" {
		return true
	}
	rest, ok := strings.CutPrefix(plain, "git~")
	return ok && isDigits(rest)
}

// withoutMarks drops accents, so that ".gít" matches ".git".
func withoutMarks(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsMark(r) {
			return -1
		}
		return r
	}, norm.NFD.String(s))
}

// isShortName reports names of the 8.3 form that Windows derives from long names, such as
// PROGRA~1 or SKILLM~2.MD.
func isShortName(name string) bool {
	base, extension, _ := strings.Cut(strings.TrimRight(name, " ."), ".")
	stem, number, ok := strings.Cut(base, "~")
	return ok && stem != "" && isDigits(number) && len(base) <= 8 && len(extension) <= 3
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// isDevice reports names that Windows opens as a device, in any case, with any extension and
// leading spaces.
func isDevice(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	stem, _, _ = strings.Cut(stem, ":")
	stem = strings.Trim(foldText(stem), " ") // NFKC turns COM¹ into com1
	switch stem {
	case "con", "prn", "aux", "nul", "conin$", "conout$", "clock$":
		return true
	}
	if len(stem) == 4 && (strings.HasPrefix(stem, "com") || strings.HasPrefix(stem, "lpt")) {
		return isDigits(stem[3:])
	}
	return false
}
