package scan

import "regexp/syntax"

// recipe holds the common parts of the automata of one expression: its instructions, and
// the characters in classes that no instruction tells apart.
type recipe struct {
	prog  *syntax.Prog
	class [256]uint8
	// classes counts them: of ASCII, of all other characters, and of bytes that do not
	// begin a character. Class number classes is the end of the text.
	classes int
	// word and newline are the classes that \b, ^ and $ ask for.
	word, newline classSet
	// contexts is the context that a character of each class makes for the next character;
	// after is the same by byte.
	contexts []uint8
	after    [256]uint8
}

// mostCounted is how far an automaton counts repetitions, which keeps it small.
const mostCounted = 3

// relaxed returns re without captures and with repetitions that are counted up to
// mostCounted and no further, and whether that made it match more.
func relaxed(re *syntax.Regexp) (out *syntax.Regexp, more bool) {
	if re.Op == syntax.OpCapture {
		return relaxed(re.Sub[0])
	}
	out = &syntax.Regexp{Op: re.Op, Flags: re.Flags, Min: re.Min, Max: re.Max, Rune: re.Rune}
	for _, sub := range re.Sub {
		sub, m := relaxed(sub)
		out.Sub, more = append(out.Sub, sub), more || m
	}
	if re.Op == syntax.OpRepeat && max(re.Min, re.Max) > mostCounted {
		return uncounted(out.Sub[0], min(re.Min, mostCounted)), true
	}
	return out, more
}

// uncounted is re at least least times.
func uncounted(re *syntax.Regexp, least int) *syntax.Regexp {
	star := &syntax.Regexp{Op: syntax.OpStar, Sub: []*syntax.Regexp{re}}
	out := &syntax.Regexp{Op: syntax.OpConcat}
	for range least {
		out.Sub = append(out.Sub, re)
	}
	out.Sub = append(out.Sub, star)
	return out
}

// everywhere returns the expression that matches everywhere, in place of one that does
// not compile: then nothing is skipped, and package regexp decides.
func everywhere() *syntax.Regexp { return &syntax.Regexp{Op: syntax.OpEmptyMatch} }

// newRecipe compiles an expression.
func newRecipe(re *syntax.Regexp) *recipe {
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return newRecipe(everywhere())
	}
	r := &recipe{prog: prog}
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
		case syntax.InstEmptyWidth:
			mark('\n', '\n')
			mark('0', '9')
			mark('A', 'Z')
			mark('_', '_')
			mark('a', 'z')
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
	r.newline.add(r.of('\n'), r.of('\n'))
	r.word.add(r.of('0'), r.of('9'))
	r.word.add(r.of('A'), r.of('Z'))
	r.word.add(r.of('_'), r.of('_'))
	r.word.add(r.of('a'), r.of('z'))
	r.contexts = make([]uint8, r.classes)
	for class := range r.contexts {
		switch {
		case r.word.has(uint8(class)):
			r.contexts[class] = atWord
		case r.newline.has(uint8(class)):
			r.contexts[class] = atLine
		default:
			r.contexts[class] = inside
		}
	}
	for c, class := range r.class {
		r.after[c] = r.contexts[class]
	}
}

// folds returns the characters that an instruction of one character admits, as far as
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

// of returns the class of a character. All non-ASCII characters have the same class.
func (r *recipe) of(c rune) uint8 {
	if c >= 0x80 {
		return r.class[0xff]
	}
	return r.class[c]
}

// classSet is a set of classes of characters. Its last bit, known, is not a class.
type classSet [3]uint64

func (c *classSet) add(from, to uint8) {
	for ; from <= to; from++ {
		c[from>>6] |= 1 << (from & 63)
	}
}

func (c *classSet) has(class uint8) bool { return c[class>>6]>>(class&63)&1 != 0 }

// known is set in the sets of instructions that were looked at.
const known = 191

// taken returns the classes that an instruction admits.
func (r *recipe) taken(inst *syntax.Inst) classSet {
	var set classSet
	set.add(known, known)
	beyond := r.of(0x80)
	switch {
	case inst.Op == syntax.InstEmptyWidth, inst.Op == syntax.InstMatch:
	case inst.Op == syntax.InstRuneAny:
		set.add(0, beyond)
	case inst.Op == syntax.InstRuneAnyNotNL:
		set.add(0, beyond)
		newline := r.of('\n')
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
