package provenance

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/format/review"
)

// Version is the version of the record format that this package writes, and the only
// one that it reads.
const Version = 1

// MaxRecord bounds a record, and maxText each text in it, in bytes.
const (
	MaxRecord = 16 << 10
	maxText   = 512
)

// Way is how content came in.
type Way string

// The ways in.
const (
	Draft     Way = "draft"     // a draft's file
	Stdin     Way = "stdin"     // a draft from standard input
	Folder    Way = "folder"    // a folder outside of the repository
	Worktree  Way = "worktree"  // uncommitted edits of a checkout
	Branch    Way = "branch"    // somebody's own commits
	Inbox     Way = "inbox"     // a branch that was pushed to the inbox
	Import    Way = "import"    // assent import
	Edit      Way = "edit"      // arguments of a command, such as assent soul edit
	History   Way = "history"   // what the workspace held before: undo, restore, adopt
	Migration Way = "migration" // what the program writes to raise the format
	Rebase    Way = "rebase"    // what was proposed, on another base
	Task      Way = "task"      // what was delivered for a task of a workflow's run
)

// Ways returns all ways in.
func Ways() []Way {
	return []Way{Draft, Stdin, Folder, Worktree, Branch, Inbox, Import, Edit, History, Migration, Rebase, Task}
}

// Values lists the words of all ways in.
func (Way) Values() []string {
	var out []string
	for _, w := range Ways() {
		out = append(out, string(w))
	}
	return out
}

// Outside reports whether a way in brings content that was made elsewhere.
func (w Way) Outside() bool { return w == Import }

// Unknown reports whether nobody knows where content was made that comes by this way:
// commits that somebody made with plain Git, wherever.
func (w Way) Unknown() bool { return w == Branch || w == Inbox }

// Origin is where content was taken from.
type Origin struct {
	Way Way `json:"way" yaml:"way"`
	// Source is the name of the file, folder or branch, without the folders above it,
	// which concern nobody else. Empty where it has none.
	Source string `json:"source,omitempty" yaml:"source"`
	// Digest of what was read, as in "sha256:…"; empty where nothing was read.
	Digest string `json:"digest,omitempty"`
}

// Session is as whom the machine is set up on which the program ran.
type Session struct {
	// Email is Git's user.email; Key the fingerprint of the key that would sign there.
	Email string             `json:"email,omitempty"`
	Key   review.Fingerprint `json:"key,omitempty"`
}

// IsZero reports whether nothing is known about the session.
func (s Session) IsZero() bool { return s == Session{} }

// Record is what the program saw when content was proposed or pushed.
type Record struct {
	V      int    `json:"v"`
	Engine string `json:"engine"`
	Origin
	// Agent is in whose name it was proposed; empty for a person.
	Agent string `json:"agent,omitempty"`
	// Tool is what made the content, as whoever proposes says: a claim.
	Tool    string  `json:"tool,omitempty"`
	Session Session `json:"session"`
}

var digestShape = regexp.MustCompile(`^(sha256:[0-9a-f]{64})?$`)

// Check reports what makes r unfit to be recorded.
func (r Record) Check() error {
	switch {
	case r.V != Version:
		return fmt.Errorf("provenance version %d; this program reads %d: update assent", r.V, Version)
	case !slices.Contains(Ways(), r.Way):
		return fmt.Errorf("unknown way in %q", r.Way)
	case r.Engine == "":
		return errors.New("the version of the program is missing")
	case !digestShape.MatchString(r.Digest):
		return fmt.Errorf("digest %q: want sha256: and 64 digits", r.Digest)
	}
	for _, text := range []string{r.Engine, r.Source, r.Agent, r.Tool, r.Session.Email, string(r.Session.Key)} {
		if len(text) > maxText || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
			return fmt.Errorf("%q: want one line of text, at most %d bytes", text, maxText)
		}
	}
	return nil
}

// Encode returns the canonical bytes of a record: one JSON object on one line.
func (r Record) Encode() ([]byte, error) {
	if err := r.Check(); err != nil {
		return nil, fmt.Errorf("record where content came from: %w", err)
	}
	data, err := canonical.Line(r)
	if err != nil {
		return nil, fmt.Errorf("record where content came from: %w", err)
	}
	return data, nil
}

// Decode reads canonical bytes and refuses all others.
func Decode(data []byte) (Record, error) {
	r, err := canonical.Decode[Record](data, MaxRecord)
	if err != nil {
		return Record{}, fmt.Errorf("provenance: %w", err)
	}
	return r, nil
}

// DigestOf names bytes that were read.
func DigestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Line makes a text one that a record can hold: one line, without control characters.
func Line(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	for len(s) > maxText {
		s = strings.ToValidUTF8(s[:maxText], "")
	}
	return s
}
