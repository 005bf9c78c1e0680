package gitstore

import (
	"bytes"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
)

// shortestTag is the size below which git does not read a tag.
const shortestTag = 64

// parseTag returns the object that an annotated tag names, and its claimed type. The headers
// must be git's, in git's order: object, type, tag, then an optional tagger and signatures.
func parseTag(raw []byte) (target tree.Hash, k kind, err error) {
	if len(raw) < shortestTag || bytes.IndexByte(raw, 0) >= 0 {
		return target, 0, bad(kindTag, "is shorter than %d bytes or holds a NUL byte", shortestTag)
	}
	rest := string(raw)
	value, ok := takeHeader(&rest, "object")
	if !ok {
		return target, 0, bad(kindTag, "does not begin with the header object")
	}
	if target, err = objectName(kindTag, "object", value); err != nil {
		return target, 0, err
	}
	value, ok = takeHeader(&rest, "type")
	if k, err = parseKind(value); !ok || err != nil {
		return target, 0, bad(kindTag, "has no header type that git knows after its object")
	}
	if value, ok = takeHeader(&rest, "tag"); !ok || !headerKey(value) {
		return target, 0, bad(kindTag, "has no header tag with a name after its type")
	}
	_, _ = takeHeader(&rest, "tagger") // optional: tags of 2005 have none
	return target, k, tagEnd(rest)
}

// tagEnd checks the headers after the first ones.
func tagEnd(rest string) error {
	for signature := false; rest != "" && rest[0] != '\n'; {
		line, after, whole := strings.Cut(rest, "\n")
		signature = signature && line[0] == ' ' || strings.HasPrefix(line, "gpgsig ") || strings.HasPrefix(line, "gpgsig-sha256 ")
		if !whole || !signature {
			return bad(kindTag, "has the line %q among its headers", clip(line))
		}
		rest = after
	}
	return nil
}
