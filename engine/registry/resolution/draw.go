package resolution

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

// mostDrawn bounds the tries that make a posterior narrow.
const mostDrawn = 500

// Draw samples the success of a way from its posterior, Beta(passed+1, failed+1), for Thompson
// sampling. The same seed gives the same number on every machine: it is the (passed+1)-th smallest
// of tried+1 uniform numbers, for which nothing is rounded.
func Draw(t Tally, seed string) float64 {
	if t.Tried > mostDrawn {
		t = Tally{mostDrawn, t.Passed * mostDrawn / t.Tried}
	}
	var all []uint64
	sum := sha256.Sum256([]byte(seed))
	for len(all) < t.Tried+1 {
		all = append(all, binary.BigEndian.Uint64(sum[:])>>11)
		sum = sha256.Sum256(sum[:])
	}
	slices.Sort(all)
	return float64(all[min(max(t.Passed, 0), t.Tried)]) / (1 << 53)
}
