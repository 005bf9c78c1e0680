package gitstore

import (
	"fmt"
	"strings"
)

// CheckRefName applies the grammar of git-check-ref-format(1) to a full ref name such as
// refs/heads/main.
func CheckRefName(name string) error {
	reason := refNameFault(name)
	if reason == "" {
		return nil
	}
	return fmt.Errorf("ref name %q %s: %w", name, reason, ErrBadName)
}

func refNameFault(name string) string {
	switch {
	case !strings.HasPrefix(name, "refs/"):
		return "does not start with refs/"
	case len(name) > 1024:
		return "is longer than 1024 bytes"
	case strings.Contains(name, ".."):
		return "contains .."
	case strings.Contains(name, "@{"):
		return "contains @{"
	case strings.HasSuffix(name, "."):
		return "ends with a dot"
	}
	for _, c := range []byte(name) {
		if c < ' ' || c == 0x7f || strings.IndexByte(" ~^:?*[\\", c) >= 0 {
			return fmt.Sprintf("contains %q", c)
		}
	}
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case part == "":
			return "has an empty component"
		case part[0] == '.':
			return "has a component that starts with a dot"
		case strings.HasSuffix(part, ".lock"):
			return "has a component that ends with .lock"
		case len(part) > 250:
			return "has a component longer than 250 bytes"
		}
	}
	return ""
}
