package scan

import (
	"cmp"

	"github.com/assent-dev/assent/engine/base/order"
)

// matcher finds every occurrence of a fixed set of literals in one pass
// (Aho and Corasick 1975), ignoring ASCII case. The automaton is a dense table
// over byte classes, so that each byte of the text costs one load. It runs before
// all regular expressions, which then see only the neighbourhoods of literals that
// they need.
type matcher struct {
	class [256]uint8
	// next[state<<classBits|class] is the state that follows. States that are met
	// often, near the root, are adjacent; those in which a literal ends come last.
	next []uint16
	// ends is the first state in which a literal ends; first and shorter are by the
	// number of such a state: a literal that ends there, and the state of the longest
	// suffix in which one does, or 0.
	ends           uint16
	first, shorter []uint16
	// twin is by literal: another one that ends in the same state, or none.
	twin     []uint16
	literals []string
	// shared says, by literal, that bytes of it share a class with other bytes, so
	// that it has to be compared with the text.
	shared []bool
}

const (
	// rootState is the state in which matching starts.
	rootState = 0
	classBits = 6
	classes   = 1 << classBits
	// sharedClass holds all bytes that have no class of their own.
	sharedClass = classes - 1
	none        = ^uint16(0)
)

// folded returns a byte as the matcher sees it: letters are lower-case, and line breaks and
// tabs are blanks, so that words of a phrase may be on two lines.
func folded(c byte) byte {
	switch {
	case c >= 'A' && c <= 'Z':
		return c | 0x20
	case c == '\n' || c == '\t':
		return ' '
	}
	return c
}

// newMatcher compiles literals, which must be lower-case, distinct and not empty.
// Literal i is reported as i.
func newMatcher(literals []string) *matcher {
	m := &matcher{literals: literals, shared: make([]bool, len(literals)), twin: make([]uint16, len(literals))}
	m.classify()
	t := newTrie(len(literals))
	for i, lit := range literals {
		m.twin[i] = none
		node := t.insert(lit, &m.class)
		if t.nodes[node].literal != none {
			m.twin[i] = t.nodes[node].literal
		}
		t.nodes[node].literal = uint16(i)
	}
	t.link()
	m.number(t)
	return m
}

// classify gives the bytes that most literals have a class each.
func (m *matcher) classify() {
	var uses [256]int
	for _, lit := range m.literals {
		for i := range len(lit) {
			uses[lit[i]]++
		}
	}
	var used []byte
	for c := range uses {
		if uses[c] > 0 {
			used = append(used, byte(c))
		}
	}
	order.Stable(used, func(a, b byte) int { return cmp.Compare(uses[b], uses[a]) })
	for i, c := range used {
		m.class[c] = uint8(min(i+1, sharedClass))
	}
	for c := range m.class {
		m.class[c] = m.class[folded(byte(c))]
	}
	for i, lit := range m.literals {
		for k := range len(lit) {
			m.shared[i] = m.shared[i] || m.class[lit[k]] == sharedClass
		}
	}
}

// trie is the tree of the literals while the matcher is made.
type trie struct {
	nodes []trieNode
	root  [classes]uint16 // children of the root by class
	order []uint16        // breadth first, without the root
}

type trieNode struct {
	child, sibling uint16
	fail           uint16 // the longest proper suffix that is a node
	literal        uint16 // one that ends here, or none
	class          uint8
	ends           bool // a literal ends here or in a suffix
}

func newTrie(literals int) *trie {
	t := &trie{nodes: make([]trieNode, 1, 1+8*literals)}
	t.nodes[0].literal = none
	return t
}

func (t *trie) insert(lit string, class *[256]uint8) uint16 {
	at := uint16(rootState)
	for i := range len(lit) {
		c := class[lit[i]]
		next := t.find(at, c)
		if next == rootState {
			next = uint16(len(t.nodes))
			t.nodes = append(t.nodes, trieNode{sibling: t.nodes[at].child, literal: none, class: c})
			t.nodes[at].child = next
			if at == rootState {
				t.root[c] = next
			}
		}
		at = next
	}
	return at
}

// find returns the child of a node, or the root.
func (t *trie) find(at uint16, class uint8) uint16 {
	if at == rootState {
		return t.root[class]
	}
	for next := t.nodes[at].child; next != rootState; next = t.nodes[next].sibling {
		if t.nodes[next].class == class {
			return next
		}
	}
	return rootState
}

// link finds the longest suffix of each node, breadth first.
func (t *trie) link() {
	t.order = make([]uint16, 0, len(t.nodes))
	add := func(parent uint16) {
		for c := t.nodes[parent].child; c != rootState; c = t.nodes[c].sibling {
			t.order = append(t.order, c)
			n := &t.nodes[c]
			if parent != rootState {
				fail := t.nodes[parent].fail
				for n.fail = t.find(fail, n.class); n.fail == rootState && fail != rootState; n.fail = t.find(fail, n.class) {
					fail = t.nodes[fail].fail
				}
			}
			n.ends = n.literal != none || t.nodes[n.fail].ends
		}
	}
	add(rootState)
	for i := 0; i < len(t.order); i++ {
		add(t.order[i])
	}
}

// number makes a state of each node, and the table.
func (m *matcher) number(t *trie) {
	state := make([]uint16, len(t.nodes))
	next := uint16(1)
	for _, ends := range []bool{false, true} {
		if ends {
			m.ends = next
		}
		for _, n := range t.order {
			if t.nodes[n].ends == ends {
				state[n] = next
				next++
			}
		}
	}
	m.next = make([]uint16, int(next)<<classBits)
	m.first, m.shorter = make([]uint16, next-m.ends), make([]uint16, next-m.ends)
	for c, child := range t.root {
		m.next[c] = state[child]
	}
	for _, n := range t.order {
		node := &t.nodes[n]
		row := m.next[int(state[n])<<classBits:][:classes]
		// A missing edge leads where that of the longest suffix leads.
		copy(row, m.next[int(state[node.fail])<<classBits:][:classes])
		for c := node.child; c != rootState; c = t.nodes[c].sibling {
			row[t.nodes[c].class] = state[c]
		}
		if node.ends {
			m.first[state[n]-m.ends] = node.literal
			if t.nodes[node.fail].ends {
				m.shorter[state[n]-m.ends] = state[node.fail]
			}
		}
	}
}

// each calls found with a literal and the offset after its last byte, for every
// occurrence in text, in the order in which they end.
func (m *matcher) each(text string, found func(literal uint16, end int)) {
	state := uint16(rootState)
	for i := range len(text) {
		state = m.next[int(state)<<classBits|int(m.class[text[i]]&(classes-1))]
		if state >= m.ends {
			m.report(text[:i+1], state, found)
		}
	}
}

// report calls found with each literal that ends in state, where text ends.
func (m *matcher) report(text string, state uint16, found func(literal uint16, end int)) {
	for state != rootState {
		for lit := m.first[state-m.ends]; lit != none; lit = m.twin[lit] {
			if !m.shared[lit] || m.stands(lit, text) {
				found(lit, len(text))
			}
		}
		state = m.shorter[state-m.ends]
	}
}

// stands reports whether text ends with literal, ignoring ASCII case.
func (m *matcher) stands(literal uint16, text string) bool {
	lit := m.literals[literal]
	tail := text[len(text)-len(lit):]
	for i := range len(lit) {
		if folded(tail[i]) != folded(lit[i]) {
			return false
		}
	}
	return true
}
