package github

import "strings"

// nameOfOwner and nameOfRepo keep a path of the API to the repository that it names.
func nameOfOwner(s string) bool {
	return len(s) <= 100 && made(s, "-_") && !strings.HasPrefix(s, "-") && !strings.HasPrefix(s, "_") && !strings.HasSuffix(s, "-")
}

func nameOfRepo(s string) bool { return len(s) <= 100 && made(s, "._-") && strings.Trim(s, ".") != "" }

// made tells whether a text is made of ASCII letters, digits and others that are given.
func made(s, others string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(others, r)
	})
}
