package scan

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// automaton tells texts in which an expression cannot match from those in which it
// may, some hundred times faster than the expression finds out: a deterministic
// automaton whose states are made when they are first met (Thompson 1968, as in
// RE2). It takes every assertion (\b, ^, $) for true and all characters outside of
// ASCII for one, so it may say yes too often and never no wrongly.
type automaton struct {
	prog    *syntax.Prog
	class   [129]uint8
	samples []rune // one of each class; 0x80 stands for all that is not ASCII
	reach   int    // bytes before an end at which a match may begin
	start   atomic.Pointer[state]

	mu     sync.Mutex // guards what is below; states are read without it
	states map[string]*state
	marks  []int // last walk that met an instruction
	walk   int
}

// state is a set of instructions that wait for the next character.
type state struct {
	accepts bool
	waiting []uint32
	next    []atomic.Pointer[state] // by class; nil is not yet known
}

// maxStates bounds what one automaton keeps. Beyond them it begins anew, so that
// its answers depend on nothing but the text.
const maxStates = 1500

// newAutomaton compiles an expression; nil, which names every place, if it cannot.
func newAutomaton(source string) *automaton {
	re, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return nil
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return nil
	}
	a := &automaton{prog: prog, reach: min(reachOf(re), before+after), states: map[string]*state{}, marks: make([]int, len(prog.Inst))}
	a.classify()
	a.start.Store(a.state(nil))
	return a
}

// classify puts characters that no instruction tells apart into one class.
func (a *automaton) classify() {
	var cut [130]bool
	mark := func(from, to rune) {
		cut[min(from, 128)], cut[min(to, 128)+1] = true, true
	}
	for _, inst := range a.prog.Inst {
		switch inst.Op {
		case syntax.InstRune1, syntax.InstRune:
			if len(inst.Rune) == 1 {
				for _, r := range folds(inst) {
					mark(r, r)
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
	for c := range a.class {
		if c == 0 || cut[c] {
			a.samples = append(a.samples, rune(c))
		}
		a.class[c] = uint8(len(a.samples) - 1)
	}
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

// takes reports whether an instruction admits the characters of a class.
func takes(inst *syntax.Inst, sample rune) bool {
	if sample < 128 {
		return inst.MatchRune(sample)
	}
	switch inst.Op {
	case syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return true
	}
	last := inst.Rune[len(inst.Rune)-1]
	folded := len(inst.Rune) == 1 && syntax.Flags(inst.Arg)&syntax.FoldCase != 0 && slices.Contains([]rune("kKsS"), last)
	return last >= 128 || folded // the Kelvin sign and the long s fold into ASCII
}

// ends calls visit with each offset in text behind which a match may end, in
// order.
func (a *automaton) ends(text string, visit func(end int)) {
	at := a.start.Load()
	if at.accepts {
		visit(0)
	}
	for i := range len(text) {
		c := text[i]
		if c >= 0x80 {
			if c < 0xc0 { // not the first byte of a character
				continue
			}
			c = 0x80
		}
		class := a.class[c]
		next := at.next[class].Load()
		if next == nil {
			next = a.step(at, class)
		}
		if at = next; at.accepts {
			visit(i + 1)
		}
	}
}

// within appends the parts of s in which the expression may match: what is near
// the places where a match may end.
func (a *automaton) within(text string, s span, parts []span) []span {
	if a == nil {
		return append(parts, s)
	}
	gave := false
	a.ends(text[s.start:s.end], func(end int) {
		end += s.start
		n := wholeLines(text, s, span{max(s.start, end-a.reach), min(s.end, end+min(a.reach, after))})
		if k := len(parts); gave && n.start <= parts[k-1].end {
			parts[k-1].end = n.end
			return
		}
		parts, gave = append(parts, n), true
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

// step finds the state that follows.
func (a *automaton) step(from *state, class uint8) *state {
	a.mu.Lock()
	defer a.mu.Unlock()
	var after []uint32
	for _, pc := range from.waiting {
		if inst := &a.prog.Inst[pc]; takes(inst, a.samples[class]) {
			after = append(after, inst.Out)
		}
	}
	if len(a.states) >= maxStates {
		a.states = map[string]*state{}
		a.start.Store(a.state(nil))
	}
	to := a.state(after)
	from.next[class].Store(to)
	return to
}

// state is the one that waits behind some instructions, and behind the start of the
// expression, for a match may begin anywhere.
func (a *automaton) state(after []uint32) *state {
	a.walk++
	s := &state{}
	for _, pc := range append(after, uint32(a.prog.Start)) {
		a.follow(pc, s)
	}
	slices.Sort(s.waiting)
	key := make([]byte, 1, 1+4*len(s.waiting))
	if s.accepts {
		key[0] = 1
	}
	for _, pc := range s.waiting {
		key = binary.LittleEndian.AppendUint32(key, pc)
	}
	if known, ok := a.states[string(key)]; ok {
		return known
	}
	s.next = make([]atomic.Pointer[state], len(a.samples))
	a.states[string(key)] = s
	return s
}

// follow walks from pc to instructions that take a character, or to the match.
func (a *automaton) follow(pc uint32, s *state) {
	for a.marks[pc] != a.walk {
		a.marks[pc] = a.walk
		inst := &a.prog.Inst[pc]
		switch inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			a.follow(inst.Arg, s)
			pc = inst.Out
		case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth:
			pc = inst.Out
		case syntax.InstMatch:
			s.accepts = true
		case syntax.InstFail:
		default:
			s.waiting = append(s.waiting, pc)
		}
	}
}
