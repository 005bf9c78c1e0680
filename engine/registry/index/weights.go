package index

import (
	"math"
	"sync"

	"github.com/assent-dev/assent/engine/format/capability"
)

// field is a part of a capability in which words stand.
type field struct {
	// weight is how much a word there says, usual how many words such a field has, and bias
	// from 0 to 1 how much less each of them says where there are more.
	weight, usual, bias float32
}

// The fields. Their usual lengths are fixed, so that the data of a capability does not depend on
// the others.
var (
	inName        = field{4, 2, 0.3}
	inTags        = field{3, 4, 0.3}
	inCategory    = field{1, 1, 0}
	inDescription = field{1.5, 14, 0.5}
	inOutline     = field{1, 30, 0.6}
	inExamples    = field{0.7, 30, 0.6}
	inBody        = field{0.5, 200, 0.5}
)

// each is the value of one occurrence in a field of so many words.
func (f field) each(length int) float32 {
	return f.weight / (1 - f.bias + f.bias*float32(length)/f.usual)
}

// Weights are kept in a byte: from least on, each step is a factor.
const (
	least = 0.02
	step  = 1.035
)

func packWeight(w float32) byte {
	return byte(min(max(1, math.Round(math.Log1p(float64(w)/least)/math.Log(step))), math.MaxUint8))
}

// unpacked are the weights that packWeight makes a byte of.
var unpacked = sync.OnceValue(func() (out [256]float64) {
	for i := range out {
		out[i] = least * (math.Pow(step, float64(i)) - 1)
	}
	return out
})

// examplesOf is the text of examples that a record gives.
func examplesOf(r capability.Record) (out string) {
	for _, e := range r.Examples {
		out += e.Description + "\n"
	}
	return out
}
