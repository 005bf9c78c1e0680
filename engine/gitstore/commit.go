package gitstore

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/tree"
)

// Person is who and when, as a commit records it. When has whole seconds and
// the time zone that was written.
type Person struct {
	Name, Email string
	When        time.Time
}

// Recorded is p as a commit keeps it: without what Git drops from names, and in
// whole seconds.
func (p Person) Recorded() Person {
	return Person{cleanName(p.Name), cleanName(p.Email), time.Unix(p.When.Unix(), 0).In(p.When.Location())}
}

// Same reports whether two persons are recorded alike; the time zone does not count.
func (p Person) Same(q Person) bool {
	return p.Name == q.Name && p.Email == q.Email && p.When.Equal(q.When)
}

// Commit is one commit object.
type Commit struct {
	Hash    tree.Hash
	Tree    tree.Hash
	Parents []tree.Hash
	Author  Person
	// Committer made the object; history is ordered by Committer.When.
	Committer Person
	// Message is what was written, with its final newline.
	Message string
	// Signature is the armored gpgsig header, "" when unsigned.
	Signature string

	payload []byte
}

// Payload is what Signature signs: the object without its gpgsig header.
func (c Commit) Payload() []byte { return c.payload }

// Subject is the message's first line.
func (c Commit) Subject() string {
	line, _, _ := strings.Cut(c.Message, "\n")
	return line
}

// Commit reads a commit.
func (r *Repo) Commit(h tree.Hash) (Commit, error) {
	raw, err := r.typed(h, kindCommit)
	if err != nil {
		return Commit{}, err
	}
	c, err := parseCommit(raw)
	if err != nil {
		return Commit{}, fmt.Errorf("commit %s: %w", h, err)
	}
	c.Hash = h
	return c, nil
}

// WriteCommit stores a commit; c.Hash and c.Signature are ignored, a missing
// final newline of the message is added. sign, unless nil, gets the object
// without signature and returns the armored signature to put into it.
func (r *Repo) WriteCommit(c Commit, sign func(payload []byte) (armored string, err error)) (tree.Hash, error) {
	head, err := commitHead(c)
	if err != nil {
		return tree.Hash{}, err
	}
	message := c.Message
	if !strings.HasSuffix(message, "\n") {
		message += "\n"
	}
	if strings.IndexByte(message, 0) >= 0 {
		return tree.Hash{}, fmt.Errorf("writing commit: the message holds a NUL byte")
	}
	raw := head + "\n" + message
	if sign != nil {
		armored, err := sign([]byte(raw))
		if err != nil {
			return tree.Hash{}, fmt.Errorf("signing commit: %w", err)
		}
		raw = head + "gpgsig " + strings.ReplaceAll(strings.TrimRight(armored, "\n"), "\n", "\n ") + "\n\n" + message
	}
	return r.put(kindCommit, []byte(raw))
}

func commitHead(c Commit) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", c.Tree)
	for _, p := range c.Parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	for _, p := range []struct {
		role string
		who  Person
	}{{"author", c.Author}, {"committer", c.Committer}} {
		line, err := personLine(p.who)
		if err != nil {
			return "", fmt.Errorf("writing commit: %s: %w", p.role, err)
		}
		fmt.Fprintf(&b, "%s %s\n", p.role, line)
	}
	return b.String(), nil
}

// personLine renders "Name <email> seconds zone" without what would break the line.
func personLine(p Person) (string, error) {
	name, email := cleanName(p.Name), cleanName(p.Email)
	if name == "" {
		return "", fmt.Errorf("no name; set it with `git config user.name`")
	}
	if p.When.IsZero() || p.When.Unix() < 0 {
		return "", fmt.Errorf("no time")
	}
	return fmt.Sprintf("%s <%s> %d %s", name, email, p.When.Unix(), p.When.Format("-0700")), nil
}

// cleanName drops what Git drops from names and addresses: brackets, line
// breaks, control characters, and punctuation at the ends.
func cleanName(s string) string {
	s = strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f || c == '<' || c == '>' {
			return -1
		}
		return c
	}, s)
	return strings.Trim(s, " .,:;\"\\'")
}

func parseCommit(raw []byte) (Commit, error) {
	var c Commit
	payload := bytes.NewBuffer(make([]byte, 0, len(raw)))
	rest, inSignature := raw, false
	for {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			return c, fmt.Errorf("no end of headers: %w", ErrCorrupt)
		}
		line := string(rest[:end])
		if line == "" {
			payload.Write(rest)
			c.Message = string(rest[1:])
			break
		}
		more, folded := strings.CutPrefix(line, " ")
		key, value, _ := strings.Cut(line, " ")
		switch {
		case folded && inSignature:
			c.Signature += more + "\n"
		case !folded && key == "gpgsig":
			inSignature = true
			c.Signature = value + "\n"
		default:
			inSignature = inSignature && folded
			payload.Write(rest[:end+1])
			if !folded {
				if err := c.header(key, value); err != nil {
					return c, err
				}
			}
		}
		rest = rest[end+1:]
	}
	c.payload = payload.Bytes()
	if c.Tree.IsZero() {
		return c, fmt.Errorf("no tree: %w", ErrCorrupt)
	}
	return c, nil
}

func (c *Commit) header(key, value string) (err error) {
	switch key {
	case "tree":
		c.Tree, err = tree.ParseHash(value)
	case "parent":
		var p tree.Hash
		p, err = tree.ParseHash(value)
		c.Parents = append(c.Parents, p)
	case "author":
		c.Author = parsePerson(value)
	case "committer":
		c.Committer = parsePerson(value)
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %w", key, ErrCorrupt, err)
	}
	return nil
}

// parsePerson is lenient: history holds every malformation, and none of it is
// an identity that anything trusts.
func parsePerson(s string) Person {
	open, shut := strings.IndexByte(s, '<'), strings.LastIndexByte(s, '>')
	if open < 0 || shut < open {
		return Person{Name: strings.TrimSpace(s)}
	}
	p := Person{Name: strings.TrimSpace(s[:open]), Email: s[open+1 : shut]}
	seconds, zone, _ := strings.Cut(strings.TrimSpace(s[shut+1:]), " ")
	if n, err := strconv.ParseInt(seconds, 10, 64); err == nil {
		p.When = time.Unix(n, 0).In(parseZone(zone))
	}
	return p
}

func parseZone(s string) *time.Location {
	n, err := strconv.Atoi(s)
	if err != nil || len(s) != 5 || n <= -10000 || n >= 10000 {
		return time.UTC
	}
	offset := (n/100*60 + n%100) * 60
	if offset == 0 {
		return time.UTC
	}
	return time.FixedZone("", offset)
}
