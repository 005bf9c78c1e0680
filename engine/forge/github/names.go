package github

import "strings"

// nameOfOwner and nameOfRepo accept only names that keep an API path within the
// repository.
func nameOfOwner(s string) bool {
	return len(s) <= 100 && consistsOf(s, "-_") && !strings.HasPrefix(s, "-") && !strings.HasPrefix(s, "_") && !strings.HasSuffix(s, "-")
}

func nameOfRepo(s string) bool {
	return len(s) <= 100 && consistsOf(s, "._-") && strings.Trim(s, ".") != ""
}

// consistsOf reports whether s is a non-empty string of ASCII letters, digits and the
// characters in others.
func consistsOf(s, others string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(others, r)
	})
}
