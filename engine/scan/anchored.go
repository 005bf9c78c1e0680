package scan

// An anchored automaton is asked at one place after the other whether a match begins
// there. Most places answer with their first character, and no state has to remember
// a match that began elsewhere, so that it needs few states.

// mostSteps is how often each character of a text is looked at by an anchored
// automaton, on average. One that would need more gives up.
const mostSteps = 4

// begins calls visit with each offset in text at which a match may begin, in order,
// until visit returns false. It returns false if it gave up: then it did not visit all
// offsets, and the caller has to use another automaton.
func (a *automaton) begins(text string, visit func(start int) bool) bool {
	left := mostSteps*len(text) + 256
	context := atBegin
	for i := range len(text) {
		c := text[i]
		before := context
		context = a.after[c]
		if a.vain[c]&before != 0 {
			continue
		}
		accepts, steps := a.accepts(text[i:], before)
		if left -= steps; left < 0 {
			return false
		}
		if accepts && !visit(i) {
			return true
		}
	}
	if yes, _ := a.accepts("", context); yes {
		visit(len(text))
	}
	return true
}

// origin returns the state at the beginning of a match after context.
func (a *automaton) origin(context uint8) uint32 {
	if a.origins[context] == 0 {
		a.origins[context] = a.state(nil, context, true)
	}
	return a.origins[context]
}

// accepts reports whether a match may begin with text after context, and the number of
// characters it took to decide.
func (a *automaton) accepts(text string, context uint8) (bool, int) {
	at := a.origin(context)
	if at&endsBehind != 0 {
		return true, 0
	}
	for i := range len(text) {
		class := a.class[text[i]]
		next := a.moves[at>>moveBits+uint32(class)]
		if next == 0 {
			next = a.step(at>>moveBits, class)
		}
		if at = next; at&(endsBehind|endsBefore) != 0 {
			return true, i
		}
		if at == a.dead {
			if i == 0 {
				a.vain[text[0]] |= context
			}
			return false, i
		}
	}
	return a.end(at), len(text)
}
