package stop

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/plaintext"
	"github.com/assent-dev/assent/engine/base/tree"
)

// Version is the version of the record's format, the only one that is read.
const Version = 1

// Bounds of a record.
const (
	// MaxRecord and MaxReason are in bytes.
	MaxRecord = 8 << 10
	MaxReason = 1000
	// Default is how long a stop holds if nothing else is asked for, Longest how long one
	// record can hold by itself.
	Default = 72 * time.Hour
	Longest = 14 * 24 * time.Hour
	// maxLifts is how many stops one record lifts.
	maxLifts = 64
)

// Decision says whether a record stops or lifts.
type Decision string

// The decisions.
const (
	Stop Decision = "stop"
	Lift Decision = "lift"
)

// Record stops one capability, or lifts stops of it.
type Record struct {
	V int `json:"v"`
	// Workspace is the genesis commit, so that a record cannot be replayed elsewhere.
	Workspace tree.Hash `json:"workspace"`
	// Capability is its name, folded as in names.Fold.
	Capability string   `json:"capability"`
	Decision   Decision `json:"decision"`
	// Reason is one line.
	Reason string `json:"reason"`
	// At is when it was signed, Until when a stop ends by itself; of a lift they are equal.
	At    time.Time `json:"at"`
	Until time.Time `json:"until"`
	// Lifts are the ids of the stops that a lift ends, sorted; empty in a stop.
	Lifts []string `json:"lifts"`
	// Nonce tells equal records apart: 16 to 64 letters, digits, '-' or '_'.
	Nonce string `json:"nonce"`
}

var id = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{40}$`) })

// IsID reports whether s has the form of a record's id.
func IsID(s string) bool { return id().MatchString(s) }

// IDOf names a record by its bytes.
func IDOf(record []byte) string {
	sum := sha256.Sum256(record)
	return hex.EncodeToString(sum[:20])
}

// Check reports the first thing that makes r unfit for signing.
func (r Record) Check() error {
	switch {
	case r.V != Version:
		return fmt.Errorf("stop record version %d; this program reads %d: update assent", r.V, Version)
	case r.Workspace.IsZero():
		return errors.New("workspace: want its genesis commit")
	case r.Capability == "" || len(r.Capability) > 200 || names.Fold(r.Capability) != r.Capability:
		return fmt.Errorf("capability %q: want a folded name", r.Capability)
	}
	return cmp.Or(canonical.CheckNonce(r.Nonce), canonical.CheckInstant(r.At), canonical.CheckInstant(r.Until), CheckReason(r.Reason), r.checkDecision())
}

func (r Record) checkDecision() error {
	switch r.Decision {
	case Stop:
		if length := r.Until.Sub(r.At); length <= 0 || length > Longest {
			return fmt.Errorf("a stop holds for at most %s, not %s", Longest, length)
		}
		if r.Lifts == nil || len(r.Lifts) > 0 {
			return errors.New("lifts: want an empty list in a stop")
		}
	case Lift:
		if !r.Until.Equal(r.At) {
			return errors.New("until: want the same as at in a lift")
		}
		if len(r.Lifts) == 0 || len(r.Lifts) > maxLifts || !slices.IsSorted(r.Lifts) || len(slices.Compact(slices.Clone(r.Lifts))) != len(r.Lifts) {
			return fmt.Errorf("lifts: want 1 to %d ids, sorted, each once", maxLifts)
		}
		if slices.ContainsFunc(r.Lifts, func(s string) bool { return !IsID(s) }) {
			return errors.New("lifts: want ids of stops")
		}
	default:
		return fmt.Errorf("decision %q: want stop or lift", r.Decision)
	}
	return nil
}

// CheckReason returns an error if a reason is unusable.
func CheckReason(s string) error {
	switch {
	case strings.TrimSpace(s) == "":
		return errors.New("reason: want one line that says why")
	case len(s) > MaxReason:
		return fmt.Errorf("reason: %d bytes, at most %d", len(s), MaxReason)
	}
	if _, found := plaintext.Control(s); found {
		return errors.New("reason: want one line without control characters")
	}
	return nil
}

// Encode returns the canonical bytes, which are signed.
func (r Record) Encode() ([]byte, error) { return canonical.Encode("", r) }

// Decode reads canonical bytes and refuses all others.
func Decode(data []byte) (Record, error) {
	return canonical.Decode[Record]("stop record", data, MaxRecord)
}
