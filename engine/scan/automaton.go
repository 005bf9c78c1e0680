package scan

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"strings"
)

// recipe is what automata of one expression are made of.
type recipe struct {
	prog    *syntax.Prog
	class   [256]uint8
	classes int // the last one is that of bytes that do not begin a character
	reach   int // bytes before an end at which a match may begin
}

// newRecipe compiles an expression; nil if it cannot.
func newRecipe(source string) *recipe {
	re, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return nil
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return nil
	}
	r := &recipe{prog: prog, reach: min(reachOf(re), before+after)}
	r.classify()
	return r
}

// classify puts characters that no instruction tells apart into one class.
func (r *recipe) classify() {
	var cut [130]bool
	mark := func(from, to rune) {
		cut[min(from, 128)], cut[min(to, 128)+1] = true, true
	}
	for _, inst := range r.prog.Inst {
		switch inst.Op {
		case syntax.InstRune1, syntax.InstRune:
			if len(inst.Rune) == 1 {
				for _, c := range folds(inst) {
					mark(c, c)
				}
				continue
			}
			for i := 0; i < len(inst.Rune); i += 2 {
				mark(inst.Rune[i], inst.Rune[i+1])
			}
		case syntax.InstRuneAnyNotNL:
			mark('\n', '\n')
		}
	}
	cut[128] = true
	for c := range 0x81 {
		if c > 0 && cut[c] {
			r.classes++
		}
		r.class[c] = uint8(r.classes)
	}
	for c := 0x81; c < len(r.class); c++ {
		r.class[c] = r.class[0x80]
	}
	r.classes++
	for c := 0x80; c < 0xc0; c++ {
		r.class[c] = uint8(r.classes)
	}
	r.classes++
}

// folds are the characters that an instruction of one character admits, as far as
// classes tell them apart.
func folds(inst syntax.Inst) []rune {
	r := inst.Rune[0]
	if syntax.Flags(inst.Arg)&syntax.FoldCase == 0 || r >= 128 {
		return []rune{r}
	}
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
		return []rune{r | 0x20, r &^ 0x20}
	}
	return []rune{r}
}

// classSet is a set of classes of characters.
type classSet [3]uint64

func (c *classSet) add(from, to uint8) {
	for ; from <= to; from++ {
		c[from>>6] |= 1 << (from & 63)
	}
}

func (c *classSet) has(class uint8) bool { return c[class>>6]>>(class&63)&1 != 0 }

// of is the class of a character; all that are not ASCII have the same.
func (r *recipe) of(c rune) uint8 {
	if c >= 0x80 {
		return r.class[0xff]
	}
	return r.class[c]
}

// taken are the classes that an instruction admits; the last bit says that they are
// known.
func (r *recipe) taken(inst *syntax.Inst) classSet {
	var set classSet
	set.add(191, 191)
	beyond := r.of(0x80)
	switch {
	case inst.Op == syntax.InstRuneAny:
		set.add(0, beyond)
	case inst.Op == syntax.InstRuneAnyNotNL:
		set.add(0, beyond)
		newline := r.class['\n']
		set[newline>>6] &^= 1 << (newline & 63)
	case len(inst.Rune) == 1:
		for _, c := range folds(*inst) {
			set.add(r.of(c), r.of(c))
		}
		// The Kelvin sign and the long s fold into ASCII.
		if c := inst.Rune[0] | 0x20; syntax.Flags(inst.Arg)&syntax.FoldCase != 0 && (c == 'k' || c == 's') {
			set.add(beyond, beyond)
		}
	default:
		for i := 0; i < len(inst.Rune); i += 2 {
			set.add(r.of(inst.Rune[i]), r.of(inst.Rune[i+1]))
		}
	}
	return set
}

// automaton tells texts in which an expression cannot match from those in which it
// may, some hundred times faster than the expression finds out: a deterministic
// automaton whose states are made when they are first met (Thompson 1968, as in
// RE2). It takes every assertion (\b, ^, $) for true and all characters outside of
// ASCII for one, so it may say yes too often and never no wrongly. One goroutine at a
// time uses it.
type automaton struct {
	*recipe
	stride int
	// moves[state*stride+class] is the offset of the state's row that follows, doubled,
	// and one more if a match may end there; 0 is not yet known.
	moves  []uint32
	start  uint32
	states map[string]uint32
	// waiting[from[state]:from[state+1]] are the instructions that wait in it for the
	// next character.
	waiting, from []uint32
	takes         []classSet // by instruction, as far as they are known
	marks         []uint32   // last walk that met an instruction
	walk          uint32
	scratch       []uint32
	key           []byte
}

// maxStates bounds what one automaton keeps. Beyond them it begins anew, so that
// its answers depend on nothing but the text.
const maxStates = 1500

func newAutomaton(r *recipe) *automaton {
	a := &automaton{recipe: r, stride: r.classes, marks: make([]uint32, len(r.prog.Inst)), takes: make([]classSet, len(r.prog.Inst))}
	a.begin()
	return a
}

// begin forgets all states but the first.
func (a *automaton) begin() {
	a.states, a.waiting, a.from = map[string]uint32{}, a.waiting[:0], append(a.from[:0], 0)
	a.moves = append(a.moves[:0], make([]uint32, a.stride)...) // no row has the offset 0
	a.from = append(a.from, 0)
	a.start = a.state(nil)
}

// ends calls visit with each offset in text behind which a match may end, in order,
// until it returns false.
func (a *automaton) ends(text string, visit func(end int) bool) {
	at := a.start
	if at&1 != 0 && !visit(0) {
		return
	}
	for i := range len(text) {
		class := a.class[text[i]]
		next := a.moves[at>>1+uint32(class)]
		if next == 0 {
			next = a.step(at>>1, class)
		}
		if at = next; at&1 != 0 && !visit(i+1) {
			return
		}
	}
}

// may reports whether the expression may match in text.
func (a *automaton) may(text string) bool {
	found := false
	a.ends(text, func(int) bool { found = true; return false })
	return found
}

// within appends the parts of s in which the expression may match: what is near
// the places where a match may end.
func (a *automaton) within(text string, s span, parts []span) []span {
	gave := false
	a.ends(text[s.start:s.end], func(end int) bool {
		end += s.start
		n := wholeLines(text, s, span{max(s.start, end-a.reach), min(s.end, end+min(a.reach, after))})
		if k := len(parts); gave && n.start <= parts[k-1].end {
			parts[k-1].end = n.end
			return true
		}
		parts, gave = append(parts, n), true
		return true
	})
	return parts
}

// wholeLines widens n to whole lines where they are not long, so that nothing looks like
// the beginning or the end of a line or word that is none; it stays inside s.
func wholeLines(text string, s, n span) span {
	lead, tail := text[max(s.start, n.start-before):n.start], text[n.end:min(s.end, n.end+before)]
	if i := strings.LastIndexByte(lead, '\n'); i >= 0 {
		lead = lead[i+1:]
	}
	if i := strings.IndexByte(tail, '\n'); i >= 0 {
		tail = tail[:i]
	}
	return span{n.start - len(lead), n.end + len(tail)}
}

// step finds what follows the state with the row at from.
func (a *automaton) step(from uint32, class uint8) uint32 {
	if int(class) == a.classes-1 {
		a.moves[from+uint32(class)] = from << 1
		return from << 1
	}
	state := from / uint32(a.stride)
	a.scratch = a.scratch[:0]
	for _, pc := range a.waiting[a.from[state]:a.from[state+1]] {
		inst, takes := &a.prog.Inst[pc], &a.takes[pc]
		if takes[2] == 0 {
			*takes = a.taken(inst)
		}
		if takes.has(class) {
			a.scratch = append(a.scratch, inst.Out)
		}
	}
	if len(a.states) >= maxStates {
		a.begin()
		return a.state(a.scratch)
	}
	to := a.state(a.scratch)
	a.moves[from+uint32(class)] = to
	return to
}

// state is the one that waits behind some instructions, and behind the start of the
// expression, for a match may begin anywhere.
func (a *automaton) state(after []uint32) uint32 {
	a.walk++
	begin := len(a.waiting)
	accepts := uint32(0)
	for _, pc := range after {
		accepts |= a.follow(pc)
	}
	accepts |= a.follow(uint32(a.prog.Start))
	waiting := a.waiting[begin:]
	slices.Sort(waiting)
	a.key = append(a.key[:0], byte(accepts))
	for _, pc := range waiting {
		a.key = binary.LittleEndian.AppendUint32(a.key, pc)
	}
	if known, ok := a.states[string(a.key)]; ok {
		a.waiting = a.waiting[:begin]
		return known
	}
	id := uint32(len(a.moves))<<1 | accepts
	a.states[string(a.key)] = id
	a.moves = append(a.moves, make([]uint32, a.stride)...)
	a.from = append(a.from, uint32(len(a.waiting)))
	return id
}

// follow walks from pc to instructions that take a character, which wait then, or to
// the match, of which it tells by 1.
func (a *automaton) follow(pc uint32) uint32 {
	accepts := uint32(0)
	for a.marks[pc] != a.walk {
		a.marks[pc] = a.walk
		inst := &a.prog.Inst[pc]
		switch inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			accepts |= a.follow(inst.Arg)
			pc = inst.Out
		case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth:
			pc = inst.Out
		case syntax.InstMatch:
			accepts = 1
		case syntax.InstFail:
		default:
			a.waiting = append(a.waiting, pc)
		}
	}
	return accepts
}
