package names

import (
	"regexp"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/base/diag"
)

// maxRef is the maximum length of a ref that we write or read, in bytes; its lock file must fit
// a file system too.
const maxRef = 200

var (
	refAlphabet = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9._/-]+$`) })
	objectName  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-fA-F]{40}([0-9a-fA-F]{24})?$`) })
)

// CheckRef reports why ref is not a name that the engine reads or writes. It applies Git's
// check-ref-format, and beyond it admits only letters, digits and ". _ / -", and no part that
// is an option, a lock file, a device, HEAD or an object's name. It checks short (proposal/x)
// and full (refs/heads/proposal/x) names.
func CheckRef(ref string) diag.List {
	var out diag.List
	if why := refFault(ref); why != "" {
		out.Errorf(RuleRef, diag.Pos{}, "use letters, digits, '.', '_' and '-' between single '/'", "ref %s %s", show(ref), why)
	}
	return out
}

// IsRef reports whether CheckRef finds nothing.
func IsRef(ref string) bool { return refFault(ref) == "" }

func refFault(ref string) string {
	switch {
	case ref == "":
		return "is empty"
	case len(ref) > maxRef:
		return "is too long"
	case !refAlphabet().MatchString(ref):
		return "holds a character that is not admitted"
	case strings.Contains(ref, ".."):
		return "holds '..'"
	}
	for part := range strings.SplitSeq(ref, "/") {
		if why := refPartFault(part); why != "" {
			return why
		}
	}
	return ""
}

func refPartFault(part string) string {
	switch {
	case part == "":
		return "has an empty part"
	case part[0] == '.' || part[len(part)-1] == '.':
		return "has a part that starts or ends with '.'"
	case part[0] == '-':
		return "has a part that starts with '-'"
	case strings.HasSuffix(strings.ToLower(part), ".lock"):
		return "has a part that ends with '.lock'"
	case isDevice(part):
		return "has a part that is a device on Windows"
	case strings.EqualFold(part, "HEAD"):
		return "has a part named HEAD"
	case objectName().MatchString(part):
		return "has a part that reads as an object's name"
	}
	return ""
}
