package names

import (
	"regexp"
	"strings"
	"sync"
)

// maxRef is the maximum length of a ref that we write or read, in bytes; its lock file must fit
// a file system too.
const maxRef = 200

var (
	refAlphabet = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9._/-]+$`) })
	objectName  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-fA-F]{40}([0-9a-fA-F]{24})?$`) })
)

// IsRef reports whether ref is a name that the engine reads or writes. It applies Git's
// check-ref-format, and beyond it admits only letters, digits and ". _ / -", and no part that
// is an option, a lock file, a device, HEAD or an object's name. It takes short (proposal/x)
// and full (refs/heads/proposal/x) names.
func IsRef(ref string) bool {
	if ref == "" || len(ref) > maxRef || !refAlphabet().MatchString(ref) || strings.Contains(ref, "..") {
		return false
	}
	for part := range strings.SplitSeq(ref, "/") {
		if part == "" || part[0] == '.' || part[len(part)-1] == '.' || part[0] == '-' || strings.HasSuffix(strings.ToLower(part), ".lock") ||
			isDevice(part) || strings.EqualFold(part, "HEAD") || objectName().MatchString(part) {
			return false
		}
	}
	return true
}
