package health

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/format/capability"
)

// Pattern is how often an error that a record knows was met here, in whichever content of the
// capability. It holds nothing of the error itself.
type Pattern struct {
	// Key names the pattern by its expression, see PatternKey.
	Key   string    `json:"key"`
	Seen  int       `json:"seen"`
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
	// Returned is an occurrence after the record declared it resolved, or nil.
	Returned *Returned `json:"returned,omitempty"`
}

// Returned is an error that was thought to be resolved.
type Returned struct {
	Seen  int       `json:"seen"`
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
	// Version is the one that gave it last.
	Version capability.Version `json:"version"`
}

// maxPatterns bounds how many patterns of one capability are counted.
const maxPatterns = 64

// PatternKey names a pattern by a digest, which is short however long the expression is. Another
// expression is another pattern.
func PatternKey(match string) string {
	sum := sha256.Sum256([]byte(match))
	return hex.EncodeToString(sum[:16])
}

// meet counts an error that a pattern explains, and moves that pattern to the front. If there are
// too many, those not met for longest are dropped. returned: the record declares the error
// resolved; one that does not resets Returned.
func meet(known []Pattern, key string, returned bool, v capability.Version, at time.Time) []Pattern {
	met := Pattern{Key: key, First: at}
	out := slices.Clone(known)
	if i := slices.IndexFunc(out, func(k Pattern) bool { return k.Key == met.Key }); i >= 0 {
		met = out[i]
		out = slices.Delete(out, i, i+1)
	}
	met.Seen++
	met.Last = at
	if returned {
		r := Returned{First: at}
		if met.Returned != nil {
			r = *met.Returned
		}
		r.Seen++
		r.Last, r.Version = at, v
		met.Returned = &r
	} else {
		met.Returned = nil
	}
	out = slices.Insert(out, 0, met)
	return out[:min(len(out), maxPatterns)]
}
