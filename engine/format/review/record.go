package review

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/tree"
)

// Version is the version of the record format that this package writes, and the
// only one that it reads.
const Version = 1

// Bounds of a record, in bytes.
const (
	// MaxReason bounds the reason's text.
	MaxReason = 4096
	// MaxRecord bounds a whole record, so that a hostile one is cheap.
	MaxRecord = 16 << 10
)

// Decision is a reviewer's decision.
type Decision string

// The decisions. Reject and RequestChanges need a reason. Revoke cancels all earlier
// decisions of the same person on the proposal, on any of its versions.
const (
	Approve        Decision = "approve"
	Reject         Decision = "reject"
	RequestChanges Decision = "request-changes"
	Revoke         Decision = "revoke"
)

// Decisions returns all decisions in the order of help texts.
func Decisions() []Decision { return []Decision{Approve, Reject, RequestChanges, Revoke} }

// NeedsReason reports whether the decision requires a reason.
func (d Decision) NeedsReason() bool { return d == Reject || d == RequestChanges }

// Record is one decision about one proposal at one head.
type Record struct {
	// V is the format's version; see Version.
	V int `json:"v"`
	// Workspace is the workspace's id, which prevents replay in another workspace.
	Workspace string `json:"workspace"`
	// Proposal is the proposal's id.
	Proposal string `json:"proposal"`
	// Head is the reviewed commit.
	Head tree.Hash `json:"head"`
	// Tree is the digest of the effective tree (the change against its base), which lets
	// a review survive a rebase.
	Tree string `json:"tree"`
	// Decision is the reviewer's decision.
	Decision Decision `json:"decision"`
	// Reason is the reviewer's text. It may have several lines, but no control
	// characters.
	Reason string `json:"reason"`
	// At is the time of signing, in UTC and whole seconds.
	At time.Time `json:"at"`
	// Nonce distinguishes equal decisions: 16 to 64 letters, digits, '-' or '_'.
	Nonce string `json:"nonce"`
}

// identifier is the form of workspace ids, proposal ids and digests.
var identifier = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$`) })

// Check returns the faults that prevent signing, joined.
func (r Record) Check() error {
	var problems []error
	refuse := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if r.V != Version {
		refuse("record version %d; this program reads %d: update assent", r.V, Version)
	}
	for _, id := range []struct{ what, value string }{
		{"workspace", r.Workspace}, {"proposal", r.Proposal}, {"tree", r.Tree},
	} {
		if !identifier().MatchString(id.value) {
			refuse("%s %q: want letters, digits and ._:- only, at most 128", id.what, id.value)
		}
	}
	if r.Head.IsZero() {
		refuse("head: want the commit that was reviewed")
	}
	if !slices.Contains(Decisions(), r.Decision) {
		refuse("decision %q: want approve, reject, request-changes or revoke", r.Decision)
	}
	return errors.Join(append(problems, canonical.CheckNonce(r.Nonce), canonical.CheckInstant(r.At), r.CheckReason())...)
}

// CheckReason returns an error if the reason is missing although required, is too long,
// or contains characters that a terminal could interpret.
func (r Record) CheckReason() error {
	switch {
	case r.Decision.NeedsReason() && strings.TrimSpace(r.Reason) == "":
		return fmt.Errorf("reason: %s needs one, so that the author can act on it", r.Decision)
	case len(r.Reason) > MaxReason:
		return fmt.Errorf("reason: %d bytes, at most %d", len(r.Reason), MaxReason)
	case !utf8.ValidString(r.Reason):
		return errors.New("reason: not valid UTF-8")
	}
	for i, c := range r.Reason {
		if c != '\n' && c != '\t' && (unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c)) {
			return fmt.Errorf("reason: character %U at byte %d could make a terminal show something else than was signed", c, i)
		}
	}
	return nil
}

// Encode returns the canonical bytes of r: one JSON object on one line. It fails if Check
// does.
func (r Record) Encode() ([]byte, error) { return canonical.Encode("", r) }

// Decode parses canonical bytes and refuses any other encoding, so that a decision has
// one signable form.
func Decode(data []byte) (Record, error) {
	return canonical.Decode[Record]("review record", data, MaxRecord)
}
