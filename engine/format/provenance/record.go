package provenance

import (
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

// Way is the path by which content entered the workspace.
type Way string

// The ways in.
const (
	Draft     Way = "draft"     // a draft's file
	Stdin     Way = "stdin"     // a draft from standard input
	Folder    Way = "folder"    // a folder outside of the repository
	Worktree  Way = "worktree"  // uncommitted edits of a checkout
	Branch    Way = "branch"    // commits made with plain Git
	Inbox     Way = "inbox"     // a branch that was pushed to the inbox
	Import    Way = "import"    // assent import
	Edit      Way = "edit"      // arguments of a command, such as assent soul edit
	History   Way = "history"   // earlier content of the workspace: undo, restore, adopt
	Migration Way = "migration" // the program's upgrade of the format
	Rebase    Way = "rebase"    // proposed content on another base
	Task      Way = "task"      // the result of a task in a workflow's run
)

// Ways returns all ways in.
func Ways() []Way {
	return []Way{Draft, Stdin, Folder, Worktree, Branch, Inbox, Import, Edit, History, Migration, Rebase, Task}
}

// Values lists the words of all ways in, for the documentation.
func (Way) Values() []string {
	var out []string
	for _, w := range Ways() {
		out = append(out, string(w))
	}
	return out
}

// Outside reports whether content on this way comes from outside of the workspace.
func (w Way) Outside() bool { return w == Import }

// Unknown reports whether the origin of content on this way is unknown: commits made with
// plain Git, anywhere.
func (w Way) Unknown() bool { return w == Branch || w == Inbox }

// Origin is the source of content.
type Origin struct {
	Way Way `json:"way" yaml:"way"`
	// Source is the name of the file, folder or branch. It omits parent folders, which
	// are private. Empty without a name.
	Source string `json:"source,omitempty" yaml:"source"`
	// Digest of the bytes read, as in "sha256:…"; empty if none were read.
	Digest string `json:"digest,omitempty"`
}

// Session is the configured identity of the machine that ran the program.
type Session struct {
	// Email is Git's user.email; Key the fingerprint of the configured signing key.
	Email string             `json:"email,omitempty"`
	Key   review.Fingerprint `json:"key,omitempty"`
}

// IsZero reports whether the session is unknown.
func (s Session) IsZero() bool { return s == Session{} }

// Record is the program's observation when content was proposed or pushed.
type Record struct {
	V      int    `json:"v"`
	Engine string `json:"engine"`
	Origin
	// Agent is the agent in whose name it was proposed; empty for a person.
	Agent string `json:"agent,omitempty"`
	// Tool is the tool that made the content, as the proposer claims.
	Tool    string  `json:"tool,omitempty"`
	Session Session `json:"session"`
}

var digestShape = regexp.MustCompile(`^(sha256:[0-9a-f]{64})?$`)

// Check returns an error if r must not be recorded.
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
func (r Record) Encode() ([]byte, error) { return canonical.Encode("record provenance", r) }

// Decode parses canonical bytes and refuses any other encoding.
func Decode(data []byte) (Record, error) {
	return canonical.Decode[Record]("provenance", data, MaxRecord)
}

// Line returns s as one line without control characters, as records require.
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
