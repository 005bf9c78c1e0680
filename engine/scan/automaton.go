package scan

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
)

// automaton tells texts in which an expression cannot match from those in which it
// may, some hundred times faster than the expression finds out: a deterministic
// automaton whose states are made when they are first met (Thompson 1968, as in
// RE2). It takes all characters outside of ASCII for one, so it may say yes too often
// and never no wrongly. One goroutine at a time uses it.
type automaton struct {
	*recipe
	stride uint32
	// moves[row+class] is the next move: the row of the next state, and whether a
	// match may end before the character or behind it; 0 is not yet known.
	moves  []uint32
	start  uint32
	states map[string]uint32
	// anchored says that a match begins only where the automaton begins. origins are
	// the first states by the context before them. dead is the state from which
	// nothing matches. vain holds, by byte, the contexts in which no match begins with
	// that byte.
	anchored bool
	origins  [inside << 1]uint32
	dead     uint32
	vain     [256]uint8
	// waiting[from[state]:from[state+1]] are the instructions that wait in it for the
	// next character; context is the context before the state, if it matters.
	waiting, from []uint32
	context       []uint8
	takes         []classSet // by instruction, as far as they are known
	marks         []uint32   // last walk that met an instruction
	walk          uint32
	scratch, out  []uint32
	key           []byte
}

// A move is a row, shifted, and these.
const (
	endsBehind = 1 << iota
	endsBefore
	moveBits = iota
)

// What stood before a state.
const (
	atBegin uint8 = 1 << iota
	atLine
	atWord
	inside // none of these
)

// maxStates bounds the states of one automaton. An automaton with more discards them
// all, so that its answers depend on nothing but the text.
const maxStates = 1500

func newAutomaton(r *recipe, anchored bool) *automaton {
	a := &automaton{recipe: r, anchored: anchored, stride: uint32(r.classes) + 1, marks: make([]uint32, len(r.prog.Inst)), takes: make([]classSet, len(r.prog.Inst))}
	for c := 0x80; c < 0xc0; c++ {
		a.vain[c] = 0xff // the rest of a character
	}
	a.begin()
	return a
}

// begin forgets all states but the first.
func (a *automaton) begin() {
	a.states, a.waiting, a.context = map[string]uint32{}, a.waiting[:0], append(a.context[:0], 0)
	a.moves = append(a.moves[:0], make([]uint32, a.stride)...) // no state has the row 0
	a.from = append(a.from[:0], 0, 0)
	a.origins = [len(a.origins)]uint32{}
	if a.anchored {
		a.dead = a.state(nil, 0, false)
		return
	}
	a.start = a.state(nil, atBegin, true)
}

// may reports whether the expression may match in text.
func (a *automaton) may(text string) bool {
	at := a.start
	if at&endsBehind != 0 {
		return true
	}
	for i := range len(text) {
		class := a.class[text[i]]
		next := a.moves[at>>moveBits+uint32(class)]
		if next == 0 {
			next = a.step(at>>moveBits, class)
		}
		if at = next; at&(endsBehind|endsBefore) != 0 {
			return true
		}
	}
	return a.end(at)
}

// end reports whether a match may end where the text does.
func (a *automaton) end(at uint32) bool {
	end := a.moves[at>>moveBits+uint32(a.classes)]
	if end == 0 {
		end = a.step(at>>moveBits, uint8(a.classes))
	}
	return end&endsBefore != 0
}

// step computes the move from the state at row on a character of class.
func (a *automaton) step(row uint32, class uint8) uint32 {
	if int(class) == a.classes-1 { // the rest of a character
		a.moves[row+uint32(class)] = row << moveBits
		return row << moveBits
	}
	state := row / a.stride
	waiting := a.waiting[a.from[state]:a.from[state+1]]
	before := uint32(0)
	if context := a.context[state]; context != 0 {
		waiting, before = a.behind(waiting, a.assertions(context, class))
	}
	a.scratch = a.scratch[:0]
	for _, pc := range waiting {
		inst, takes := &a.prog.Inst[pc], &a.takes[pc]
		if takes[2] == 0 {
			*takes = a.taken(inst)
		}
		if takes.has(class) {
			a.scratch = append(a.scratch, inst.Out)
		}
	}
	if int(class) == a.classes { // the end
		a.moves[row+uint32(class)] = row<<moveBits | before
		return row<<moveBits | before
	}
	full := len(a.states) >= maxStates
	if full {
		a.begin()
	}
	to := a.state(a.scratch, a.contexts[class], !a.anchored) | before
	if !full {
		a.moves[row+uint32(class)] = to
	}
	return to
}

// assertions returns the assertions that hold between a context and a character.
func (a *automaton) assertions(context, class uint8) syntax.EmptyOp {
	out := syntax.EmptyNoWordBoundary
	end := int(class) == a.classes
	if (context&atWord != 0) != (!end && a.word.has(class)) {
		out = syntax.EmptyWordBoundary
	}
	if context&atBegin != 0 {
		out |= syntax.EmptyBeginText
	}
	if context&(atBegin|atLine) != 0 {
		out |= syntax.EmptyBeginLine
	}
	if end {
		out |= syntax.EmptyEndText
	}
	if end || a.newline.has(class) {
		out |= syntax.EmptyEndLine
	}
	return out
}

// asserting marks the context of a state in which an assertion waits, so that it is
// none of those without.
const asserting uint8 = 1 << 7

// state returns the state that waits behind some instructions and, if a match may
// begin here, behind the start of the expression.
func (a *automaton) state(after []uint32, context uint8, begin bool) uint32 {
	a.walk++
	from := len(a.waiting)
	ends, asserts := uint32(0), false
	follow := func(pc uint32) {
		e, as := a.follow(pc)
		ends, asserts = ends|e, asserts || as
	}
	for _, pc := range after {
		follow(pc)
	}
	if begin {
		follow(uint32(a.prog.Start))
	}
	waiting := a.waiting[from:]
	slices.Sort(waiting)
	if asserts {
		context |= asserting
	} else {
		context = 0
	}
	a.key = append(a.key[:0], byte(ends), context)
	for _, pc := range waiting {
		a.key = binary.LittleEndian.AppendUint32(a.key, pc)
	}
	if old, ok := a.states[string(a.key)]; ok {
		a.waiting = a.waiting[:from]
		return old
	}
	id := uint32(len(a.moves))<<moveBits | ends
	a.states[string(a.key)] = id
	a.moves = append(a.moves, make([]uint32, a.stride)...)
	a.from, a.context = append(a.from, uint32(len(a.waiting))), append(a.context, context)
	return id
}

// follow walks from pc to instructions that take a character or assert something,
// which wait then, or to the match.
func (a *automaton) follow(pc uint32) (ends uint32, asserts bool) {
	for a.marks[pc] != a.walk {
		a.marks[pc] = a.walk
		inst := &a.prog.Inst[pc]
		switch inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			e, as := a.follow(inst.Arg)
			ends, asserts = ends|e, asserts || as
			pc = inst.Out
		case syntax.InstCapture, syntax.InstNop:
			pc = inst.Out
		case syntax.InstMatch:
			return ends | endsBehind, asserts
		case syntax.InstFail:
		case syntax.InstEmptyWidth:
			a.waiting = append(a.waiting, pc)
			asserts = true
		default:
			a.waiting = append(a.waiting, pc)
		}
	}
	return ends, asserts
}

// behind returns the instructions that wait behind assertions that hold, too, and
// endsBefore if the match is one of them.
func (a *automaton) behind(waiting []uint32, holds syntax.EmptyOp) (all []uint32, before uint32) {
	a.walk++
	a.out = append(a.out[:0], waiting...)
	for _, pc := range a.out {
		a.marks[pc] = a.walk
	}
	for i := 0; i < len(a.out); i++ {
		inst := &a.prog.Inst[a.out[i]]
		if inst.Op == syntax.InstEmptyWidth && syntax.EmptyOp(inst.Arg)&^holds == 0 {
			begin := len(a.waiting)
			ends, _ := a.follow(inst.Out)
			if ends != 0 {
				before = endsBefore
			}
			a.out = append(a.out, a.waiting[begin:]...)
			a.waiting = a.waiting[:begin]
		}
	}
	return a.out, before
}
