package gitstore

import (
	"bytes"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
)

// parseCommit parses a commit that has git's headers in git's order: tree, parents, author,
// committer, then others. From an accepted commit, git reads the same tree, parents, author,
// committer and message. A commit that two of git's own readers understand differently is
// refused.
func parseCommit(raw []byte) (Commit, error) {
	if at := bytes.IndexByte(raw, 0); at >= 0 {
		return Commit{}, bad(kindCommit, "holds a NUL byte at %d, where git stops reading", at)
	}
	p := commitParser{rest: string(raw), once: firstHeaders()}
	for _, step := range []func() error{p.links, p.people, p.others, p.persons} {
		if err := step(); err != nil {
			return Commit{}, err
		}
	}
	if err := checkCharset(p.charset, raw); err != nil {
		return Commit{}, err
	}
	if p.commit.payload = raw; p.commit.Signature != "" {
		p.commit.payload = unsigned(raw)
	}
	return p.commit, nil
}

// commitParser parses a commit from start to end.
type commitParser struct {
	commit            Commit
	author, committer string
	charset           string
	// once lists the headers that may not occur any more.
	once []string
	// rest is the unread part.
	rest string
}

// firstHeaders returns the headers that start every commit, in order.
func firstHeaders() []string { return []string{"tree", "parent", "author", "committer"} }

// takeHeader consumes the next line if it is the header key. A last line without a line break is no
// header.
func takeHeader(rest *string, key string) (value string, ok bool) {
	line, after, whole := strings.Cut(*rest, "\n")
	if !whole || len(line) <= len(key) || line[:len(key)] != key || line[len(key)] != ' ' {
		return "", false
	}
	*rest = after
	return line[len(key)+1:], true
}

// objectName parses an object name as git writes it.
func objectName(k kind, key, value string) (tree.Hash, error) {
	h, err := tree.ParseHash(value)
	if err != nil || h.IsZero() || strings.ToLower(value) != value {
		return h, bad(k, "has the header %q, which names no object", clip(key+" "+value))
	}
	return h, nil
}

// links parses tree and parents.
func (p *commitParser) links() error {
	value, ok := takeHeader(&p.rest, "tree")
	if !ok {
		return bad(kindCommit, "does not begin with the header tree")
	}
	var err error
	if p.commit.Tree, err = objectName(kindCommit, "tree", value); err != nil {
		return err
	}
	for {
		if value, ok = takeHeader(&p.rest, "parent"); !ok {
			return nil
		}
		h, err := objectName(kindCommit, "parent", value)
		if err != nil {
			return err
		}
		p.commit.Parents = append(p.commit.Parents, h)
	}
}

// looseLinks reads tree and parents as git's own history walk does: from the first lines, with
// digits of either case, and ignoring the rest. This gives an attacker nothing, because the
// author of a commit chooses its parents anyway.
func looseLinks(raw string) (top tree.Hash, parents []tree.Hash) {
	value, ok := takeHeader(&raw, "tree")
	top, err := tree.ParseHash(strings.ToLower(value))
	zero := false
	for ok && err == nil {
		if value, ok = takeHeader(&raw, "parent"); !ok {
			break
		}
		var h tree.Hash
		if h, err = tree.ParseHash(strings.ToLower(value)); err == nil && !h.IsZero() {
			parents = append(parents, h)
		}
		zero = zero || h.IsZero()
	}
	// A history begins with a commit whose author follows its tree: git cannot follow a parent without a
	// name, and other headers in this place are for hiding parents.
	if err != nil || len(parents) == 0 && (zero || !strings.HasPrefix(raw, "author ")) {
		return tree.Hash{}, nil
	}
	return top, parents
}

// maxPerson bounds the lines of author and committer, in bytes: readers keep names.
const maxPerson = 4096

// people takes the lines of author and committer.
func (p *commitParser) people() error {
	var ok bool
	if p.author, ok = takeHeader(&p.rest, "author"); !ok {
		return bad(kindCommit, "has no author after tree and parents, but %q", p.line())
	}
	if p.committer, ok = takeHeader(&p.rest, "committer"); !ok {
		return bad(kindCommit, "has no committer after its author, but %q", p.line())
	}
	//defence:names-are-bounded
	if n := max(len(p.author), len(p.committer)); n > maxPerson {
		return bad(kindCommit, "has an author or committer of %d bytes; want at most %d", n, maxPerson)
	}
	return nil
}

// others parses the remaining headers up to the message. A commit may end without a message.
func (p *commitParser) others() error {
	key := "" // the header that a continuation line belongs to
	for p.rest != "" {
		line, after, whole := strings.Cut(p.rest, "\n")
		if !whole {
			return bad(kindCommit, "ends within the header %q", p.line())
		}
		if line == "" {
			p.commit.Message = after
			return nil
		}
		more, continued := strings.CutPrefix(line, " ")
		if !continued {
			var err error
			if key, more, err = p.other(line); err != nil {
				return err
			}
		} else if key == "" || key == "encoding" {
			return bad(kindCommit, "continues a header that has one line: %q", p.line())
		}
		if key == "gpgsig" {
			p.commit.Signature += more + "\n"
		}
		p.rest = after
	}
	return nil
}

// other parses the first line of a header after the first four. Git looks headers up by name
// and sometimes uses the first, sometimes the last of a name.
func (p *commitParser) other(line string) (key, value string, err error) {
	key, value, spaced := strings.Cut(line, " ")
	if !spaced || !headerKey(key) {
		return key, value, bad(kindCommit, "has the line %q among its headers", p.line())
	}
	//defence:headers-come-once
	if slices.Contains(p.once, key) {
		return key, value, bad(kindCommit, "has the header %s twice or out of order: %q", key, p.line())
	}
	switch key {
	case "encoding":
		if p.charset = value; value == "" {
			return key, value, bad(kindCommit, "has an empty encoding")
		}
		p.once = append(slices.Clip(p.once), key)
	case "gpgsig", "gpgsig-sha256":
		p.once = append(slices.Clip(p.once), key)
	}
	return key, value, nil
}

// headerKey reports whether s can be the name of a header: visible ASCII.
func headerKey(s string) bool {
	return s != "" && strings.IndexFunc(s, func(c rune) bool { return c <= ' ' || c >= 0x7f }) < 0
}

// persons parses author and committer.
func (p *commitParser) persons() (err error) {
	if p.commit.Author, err = parsePerson(p.author); err == nil {
		p.commit.Committer, err = parsePerson(p.committer)
	}
	return err
}

// line returns the current line, for errors.
func (p *commitParser) line() string {
	line, _, _ := strings.Cut(p.rest, "\n")
	return clip(line)
}

// clip bounds quoted text in errors.
func clip(s string) string { return s[:min(len(s), 80)] }

// unsigned returns the object without its signatures, which is the text that they sign.
func unsigned(raw []byte) []byte {
	out := make([]byte, 0, len(raw))
	signature := false
	for len(raw) > 0 {
		end := bytes.IndexByte(raw, '\n') + 1
		if end <= 1 {
			return append(out, raw...) // the message
		}
		line := raw[:end]
		signature = line[0] == ' ' && signature || bytes.HasPrefix(line, []byte("gpgsig ")) || bytes.HasPrefix(line, []byte("gpgsig-sha256 "))
		if !signature {
			out = append(out, line...)
		}
		raw = raw[end:]
	}
	return out
}
