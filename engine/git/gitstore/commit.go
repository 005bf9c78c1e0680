package gitstore

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
)

// Person is an author or committer line of a commit. When has whole seconds and the recorded
// time zone.
type Person struct {
	Name, Email string
	When        time.Time
}

// Recorded returns p as a commit records it: without characters that Git drops from names, and
// in whole seconds.
func (p Person) Recorded() Person {
	return Person{cleanName(p.Name), cleanName(p.Email), time.Unix(p.When.Unix(), 0).In(p.When.Location())}
}

// Same reports whether two persons have the same name, address and time, in any time zone.
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
	// Message is the commit message with its final newline.
	Message string
	// Signature is the armored gpgsig header, "" if the commit is unsigned.
	Signature string

	payload []byte
	// passed is the size of an object that was read for its links only.
	passed int64
	// malformed is the reason why only Hash, Tree and Parents are known; see Lineage.
	malformed error
}

// Malformed returns the reason why only the tree and parents of the commit are known. It is nil
// except for some commits that Lineage visits.
func (c Commit) Malformed() error { return c.malformed }

// Passed returns the bytes that were read of a malformed commit, and zero for another.
func (c Commit) Passed() int64 { return c.passed }

// Outline is the part of a commit that walks keep. It holds none of the commit's texts, so the
// memory of a walk depends on the number of commits, and not on what their writers put in them.
type Outline struct {
	Hash, Tree tree.Hash
	// Parents lists each parent once.
	Parents []tree.Hash
	// Seconds is the committer's time in Unix seconds, that of year 1 if it is unknown.
	Seconds   int64
	malformed error
}

// When returns the committer's time.
func (o Outline) When() time.Time { return time.Unix(o.Seconds, 0).UTC() }

// Outline returns the outline of c.
func (c Commit) Outline() Outline {
	//defence:outlines-hold-no-texts
	return Outline{c.Hash, c.Tree, unique(c.Parents), c.Committer.When.Unix(), c.malformed}
}

// unique returns the hashes, each once, in order. A commit may repeat a parent any number of
// times.
func unique(hashes []tree.Hash) []tree.Hash {
	if len(hashes) < 2 {
		return hashes
	}
	seen := make(map[tree.Hash]bool, 2)
	return slices.DeleteFunc(slices.Clone(hashes), func(h tree.Hash) bool {
		again := seen[h]
		seen[h] = true
		return again
	})
}

// Payload returns the bytes that Signature signs: the object without its gpgsig header.
func (c Commit) Payload() []byte { return c.payload }

// maxSubject bounds a subject, in bytes.
const maxSubject = 1000

// Subject returns the first non-blank line of the message, or its first maxSubject bytes. It
// does not keep the message in memory.
func (c Commit) Subject() string {
	line, _, _ := strings.Cut(strings.TrimLeft(c.Message, gitSpace), "\n")
	//defence:subjects-are-short
	if len(line) > maxSubject {
		line = strings.ToValidUTF8(line[:maxSubject], "") + "…"
	}
	return strings.Clone(line)
}

// Commit reads a commit.
func (db *Objects) Commit(h tree.Hash) (Commit, error) {
	raw, err := db.typed(h, kindCommit, blobBounds(MaxBlob))
	if err != nil {
		return Commit{}, err
	}
	c, err := parseCommit(raw)
	if err != nil {
		return Commit{}, addHash(h, err)
	}
	c.Hash = h
	return c, nil
}

// Passable reads a commit, or only its tree and parents if the rest is malformed, so that walks
// can pass malformed commits. Git reads the same tree and parents from such a commit, and like git
// it lets one without parents begin a history: old ones have text in other encodings than UTF-8, or names
// without addresses. Unreadable links are an error.
func (db *Objects) Passable(h tree.Hash) (Commit, error) {
	c, err := db.Commit(h)
	var malformed *BadObject
	if !errors.As(err, &malformed) {
		return c, err
	}
	raw, rerr := db.typed(h, kindCommit, bounds{text: MaxBlob})
	if rerr != nil {
		return c, err
	}
	top, parents := looseLinks(string(raw[:min(len(raw), 1<<20)]))
	//defence:malformed-commits-are-walked-past
	if top.IsZero() {
		return c, err
	}
	return Commit{Hash: h, Tree: top, Parents: parents, passed: int64(len(raw)), malformed: malformed}, nil
}

// WriteCommit stores a commit. It ignores c.Hash and c.Signature and adds a missing final
// newline to the message. If sign is not nil, it gets the object without a signature and
// returns the armored signature to insert.
func (db *Objects) WriteCommit(c Commit, sign func(payload []byte) (armored string, err error)) (tree.Hash, error) {
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
	if _, err := parseCommit([]byte(raw)); err != nil {
		return tree.Hash{}, fmt.Errorf("writing commit: %w", err)
	}
	return db.put(kindCommit, []byte(raw))
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

// personLine renders "Name <email> seconds zone" without characters that would break the line.
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
