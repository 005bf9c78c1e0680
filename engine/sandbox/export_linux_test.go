package sandbox

import "slices"

// MaxAhead is how many sandboxes of one Box wait.
const MaxAhead = maxAhead

// Waiting returns how many sandboxes wait, when all of them are ready.
func Waiting(b *Box) int {
	b.ahead.mu.Lock()
	all := slices.Clone(b.ahead.held)
	b.ahead.mu.Unlock()
	n := 0
	for _, h := range all {
		if <-h.ready; h.process != nil {
			n++
		}
	}
	return n
}
