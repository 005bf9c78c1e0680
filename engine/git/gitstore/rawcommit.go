package gitstore

import (
	"bytes"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
)

// parseCommit reads a commit that has git's headers in git's order: tree, parents,
// author, committer, then others. For a commit that it accepts, git reads the same tree,
// parents, author, committer and message. A commit that two of git's own readers
// understand differently is refused.
func parseCommit(raw []byte) (Commit, error) {
	if at := bytes.IndexByte(raw, 0); at >= 0 {
		return Commit{}, bad(kindCommit, "holds a NUL byte at %d, where git stops to read", at)
	}
	p := commitParser{rest: string(raw), once: firstHeaders()}
	for _, step := range []func() error{p.links, p.people, p.others, p.decode} {
		if err := step(); err != nil {
			return Commit{}, err
		}
	}
	if p.commit.payload = raw; p.commit.Signature != "" {
		p.commit.payload = unsigned(raw)
	}
	return p.commit, nil
}

// commitParser reads a commit from its beginning to its end.
type commitParser struct {
	commit            Commit
	author, committer string
	charset           string
	// once are the headers that may not follow any more.
	once []string
	// rest is what was not read yet.
	rest string
}

// firstHeaders are those that every commit begins with, in this order.
func firstHeaders() []string { return []string{"tree", "parent", "author", "committer"} }

// take reads the next line if it is the header key. A last line without a line break
// is no header.
func take(rest *string, key string) (value string, ok bool) {
	line, after, whole := strings.Cut(*rest, "\n")
	if !whole || len(line) <= len(key) || line[:len(key)] != key || line[len(key)] != ' ' {
		return "", false
	}
	*rest = after
	return line[len(key)+1:], true
}

// objectName reads the name of an object as git writes it.
func objectName(k kind, key, value string) (tree.Hash, error) {
	h, err := tree.ParseHash(value)
	if err != nil || h.IsZero() || strings.ToLower(value) != value {
		return h, bad(k, "has the header %q, which names no object", clip(key+" "+value))
	}
	return h, nil
}

// links reads tree and parents.
func (p *commitParser) links() error {
	value, ok := take(&p.rest, "tree")
	if !ok {
		return bad(kindCommit, "does not begin with the header tree")
	}
	var err error
	if p.commit.Tree, err = objectName(kindCommit, "tree", value); err != nil {
		return err
	}
	for {
		if value, ok = take(&p.rest, "parent"); !ok {
			return nil
		}
		h, err := objectName(kindCommit, "parent", value)
		if err != nil {
			return err
		}
		p.commit.Parents = append(p.commit.Parents, h)
	}
}

// looseLinks reads tree and parents as git's own walk of history does: from the first
// lines, in digits of either case, whatever follows. Whoever can write the commit can
// choose its parents anyway, so that nothing is gained by writing them in this way.
func looseLinks(raw string) (top tree.Hash, parents []tree.Hash) {
	value, ok := take(&raw, "tree")
	top, err := tree.ParseHash(strings.ToLower(value))
	for ok && err == nil {
		if value, ok = take(&raw, "parent"); !ok {
			break
		}
		var h tree.Hash
		if h, err = tree.ParseHash(strings.ToLower(value)); err == nil && !h.IsZero() {
			parents = append(parents, h)
		}
	}
	if err != nil {
		return tree.Hash{}, nil
	}
	return top, parents
}

// people reads author and committer, which are understood when the encoding is known.
func (p *commitParser) people() error {
	var ok bool
	if p.author, ok = take(&p.rest, "author"); !ok {
		return bad(kindCommit, "has no author after tree and parents, but %q", p.line())
	}
	if p.committer, ok = take(&p.rest, "committer"); !ok {
		return bad(kindCommit, "has no committer after its author, but %q", p.line())
	}
	return nil
}

// others reads the further headers, up to the message. A commit may end without one.
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

// other reads the first line of a header that is none of the first four. Git looks for
// headers by name, sometimes for the first and sometimes for the last of a name.
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

// headerKey reports whether s can name a header: visible ASCII.
func headerKey(s string) bool {
	return s != "" && strings.IndexFunc(s, func(c rune) bool { return c <= ' ' || c >= 0x7f }) < 0
}

// decode turns what people wrote into UTF-8, as git does before it shows or searches it.
func (p *commitParser) decode() error {
	for _, text := range []*string{&p.author, &p.committer, &p.commit.Message} {
		decoded, err := toUTF8(p.charset, *text)
		if err != nil {
			return err
		}
		*text = decoded
	}
	return p.persons()
}

// persons reads author and committer. Git has several readers for a committer's date,
// which agree only on a complete line with one address.
func (p *commitParser) persons() (err error) {
	if p.commit.Author, _, err = parsePerson(p.author); err != nil {
		return err
	}
	var dated bool
	p.commit.Committer, dated, err = parsePerson(p.committer)
	//defence:committers-are-complete
	if err == nil && (!dated || strings.Count(p.committer, ">") != 1) {
		return bad(kindCommit, "has the committer %q; want NAME <EMAIL> SECONDS ZONE", clip(p.committer))
	}
	return err
}

// line is the parser's current line, for errors.
func (p *commitParser) line() string {
	line, _, _ := strings.Cut(p.rest, "\n")
	return clip(line)
}

// clip bounds what an error quotes.
func clip(s string) string { return s[:min(len(s), 80)] }

// unsigned is the object without its signatures, which is what they sign.
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
