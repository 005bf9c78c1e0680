package forge

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/review"
)

// Bounds of texts: those of the most restrictive forge.
const (
	// MaxTitle bounds a title, in characters (GitHub admits 256).
	MaxTitle = 200
	// MaxText bounds a body or comment, in characters (GitHub admits 65 536, and
	// an adapter may have to add a line of its own).
	MaxText = 60_000
	// MaxName bounds each name of an actor, in characters. Lists keep them.
	MaxName = 500
)

// CleanTitle returns s as forges store it: one line of at most MaxTitle characters,
// without control characters and other invisible ones.
//
//defence:titles-are-one-line
func CleanTitle(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == utf8.RuneError:
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > MaxTitle {
		s = strings.TrimSpace(string(runes[:MaxTitle-1])) + "…"
	}
	return s
}

// CheckText refuses text that a forge cannot return unchanged: invalid UTF-8, a NUL, or
// more than MaxText characters. Leading and trailing blank lines may be lost.
func CheckText(what, s string) error {
	switch {
	case !utf8.ValidString(s):
		return fmt.Errorf("%w: the %s is not valid UTF-8", ErrRequest, what)
	case strings.ContainsRune(s, 0):
		return fmt.Errorf("%w: the %s holds a NUL character", ErrRequest, what)
	case utf8.RuneCountInString(s) > MaxText:
		return fmt.Errorf("%w: the %s is longer than %d characters", ErrRequest, what, MaxText)
	}
	return nil
}

// CutText makes s pass CheckText. A text that is too long is cut and ends with the line
// rest, which says where to find all of it.
func CutText(s, rest string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
	if utf8.RuneCountInString(s) <= MaxText {
		return s
	}
	rest = "\n\n… " + rest
	return string([]rune(s)[:MaxText-utf8.RuneCountInString(rest)]) + rest
}

// IsID reports whether id is a valid id of a pull request.
func IsID(id string) bool {
	_, _, ok := names.ParseProposalID(id)
	return ok
}

func checkAt(at time.Time) error {
	if at.Unix() <= 0 {
		return fmt.Errorf("%w: no time is given", ErrRequest)
	}
	return nil
}

// Check returns an error if a record cannot name the actor.
func (a Actor) Check() error {
	var problems []error
	for _, f := range [][2]string{{"name", a.Name}, {"login", a.Login}, {"e-mail address", a.Email}, {"key", a.Key}} {
		problems = append(problems, CheckText(f[0], f[1]))
		if utf8.RuneCountInString(f[1]) > MaxName {
			problems = append(problems, fmt.Errorf("%w: the %s is longer than %d characters", ErrRequest, f[0], MaxName))
		}
	}
	return errors.Join(problems...)
}

func checkCommit(what string, h tree.Hash) error {
	if h.IsZero() {
		return fmt.Errorf("%w: no %s", ErrRequest, what)
	}
	return nil
}

// Check returns an error if the request cannot be recorded.
func (o Opening) Check() error {
	var err error
	switch {
	case !IsID(o.ID):
		err = fmt.Errorf("%w: %q is not the id of a proposal", ErrRequest, o.ID)
	case o.Branch != BranchPrefix+o.ID:
		err = fmt.Errorf("%w: the branch %q is not %s", ErrRequest, o.Branch, BranchPrefix+o.ID)
	case o.Base != Main:
		err = fmt.Errorf("%w: %q is not the branch to merge into, %s", ErrRequest, o.Base, Main)
	case CleanTitle(o.Title) == "":
		err = fmt.Errorf("%w: no title", ErrRequest)
	}
	for _, a := range o.Behind {
		err = errors.Join(err, a.Check())
	}
	return errors.Join(err, CheckText("body", o.Body), checkCommit("head", o.Head), o.Author.Check(), checkAt(o.At))
}

// Main is the branch that all proposals merge into.
const Main = "main"

// Check returns an error if the request cannot be recorded.
func (p Push) Check() error {
	return errors.Join(CheckText("note", p.Note), checkCommit("new head", p.New), p.By.Check(), checkAt(p.At))
}

// Check returns an error if the request cannot be recorded.
func (c Comment) Check() error {
	return errors.Join(CheckText("comment", c.Body), CheckText("key", c.Key), c.By.Check(), checkAt(c.At))
}

// Check returns an error if the request cannot be recorded.
func (r Review) Check() error {
	var err error
	if !slices.Contains(review.Decisions(), review.Decision(r.Decision)) {
		err = fmt.Errorf("%w: unknown decision %q", ErrRequest, r.Decision)
	}
	return errors.Join(err, CheckText("reason", r.Reason), checkCommit("head", r.Head), r.By.Check(), checkAt(r.At))
}

// Check returns an error if the request cannot be recorded.
func (s Status) Check() error {
	return errors.Join(CheckText("summary", s.Summary), CheckText("digest", s.Digest),
		checkCommit("head", s.Head), checkCommit("base", s.Base), checkAt(s.At))
}

// Check returns an error if the request cannot be recorded.
func (a Advice) Check() error {
	var err error
	if len(a.Record) == 0 {
		err = fmt.Errorf("%w: no second opinion", ErrRequest)
	}
	return errors.Join(err, a.By.Check(), checkAt(a.At))
}

// Check returns an error if the request cannot be recorded.
func (p Proof) Check() error {
	var err error
	if len(p.Record) == 0 {
		err = fmt.Errorf("%w: no outcome of tests", ErrRequest)
	}
	return errors.Join(err, p.By.Check(), checkAt(p.At))
}

// Check returns an error if the request cannot be recorded.
func (m Merge) Check() error {
	var err error
	if CleanTitle(m.Title) == "" && m.Made.IsZero() {
		err = fmt.Errorf("%w: no title", ErrRequest)
	}
	if len(m.Attestation) > MaxAttestation || len(m.Signature) > MaxSignature {
		err = errors.Join(err, fmt.Errorf("%w: the attestation has %d bytes and its signature %d; at most %d and %d are read",
			ErrRequest, len(m.Attestation), len(m.Signature), MaxAttestation, MaxSignature))
	}
	return errors.Join(err, CheckText("message", m.Message), checkCommit("head", m.Head), checkCommit("base", m.Base),
		checkCommit("tree", m.Tree), m.By.Check(), checkAt(m.At))
}

// Check returns an error if the request cannot be recorded.
func (c Closing) Check() error {
	var err error
	if c.Why != CleanTitle(c.Why) || c.Why == "" {
		err = fmt.Errorf("%w: %q is not a reason in a word", ErrRequest, c.Why)
	}
	return errors.Join(err, CheckText("note", c.Note), c.By.Check(), checkAt(c.At))
}
