package scan

// matcher finds every occurrence of a fixed set of literals in one pass
// (Aho and Corasick 1975), ignoring ASCII case. The automaton is a dense table
// over byte classes, so that each byte of the text costs one load; it stands in
// front of all regular expressions, which then see only the neighbourhoods of
// literals that they need.
type matcher struct {
	class   [256]uint8
	classes int
	// next[state*classes+class] is the state that follows.
	next []uint16
	// out[state] lists the literals that end in state.
	out [][]uint16
}

// rootState is where matching starts.
const rootState = 0

// newMatcher compiles literals, which must be lower-case and not empty.
// Literal i is reported as i.
func newMatcher(literals []string) *matcher {
	m := &matcher{classes: 1}
	for _, lit := range literals {
		for i := range len(lit) {
			if m.class[lit[i]] == 0 {
				m.class[lit[i]] = uint8(m.classes)
				m.classes++
			}
		}
	}
	for c := byte('A'); c <= 'Z'; c++ {
		m.class[c] = m.class[c-'A'+'a']
	}
	// Words of a phrase may stand on two lines.
	m.class['\n'], m.class['\t'] = m.class[' '], m.class[' ']
	m.addState()
	for i, lit := range literals {
		m.insert(lit, uint16(i))
	}
	m.link()
	return m
}

func (m *matcher) addState() uint16 {
	m.next = append(m.next, make([]uint16, m.classes)...)
	m.out = append(m.out, nil)
	return uint16(len(m.out) - 1)
}

func (m *matcher) insert(lit string, id uint16) {
	state := uint16(rootState)
	for i := range len(lit) {
		at := int(state)*m.classes + int(m.class[lit[i]])
		if m.next[at] == rootState {
			added := m.addState()
			m.next[at] = added
		}
		state = m.next[at]
	}
	m.out[state] = append(m.out[state], id)
}

// link turns the trie into an automaton, breadth first: a missing edge leads
// where the longest proper suffix of the state leads.
func (m *matcher) link() {
	fail := make([]uint16, len(m.out))
	var queue []uint16
	for _, child := range m.next[:m.classes] {
		if child != rootState {
			queue = append(queue, child)
		}
	}
	for len(queue) > 0 {
		state := queue[0]
		queue = queue[1:]
		m.out[state] = append(m.out[state], m.out[fail[state]]...)
		for c := range m.classes {
			at := int(state)*m.classes + c
			suffix := m.next[int(fail[state])*m.classes+c]
			if child := m.next[at]; child != rootState {
				fail[child] = suffix
				queue = append(queue, child)
			} else {
				m.next[at] = suffix
			}
		}
	}
}

// each calls found with a literal and the offset after its last byte, for every
// occurrence in text, in the order in which they end.
func (m *matcher) each(text string, found func(literal uint16, end int)) {
	state := 0
	for i := range len(text) {
		state = int(m.next[state*m.classes+int(m.class[text[i]])])
		for _, id := range m.out[state] {
			found(id, i+1)
		}
	}
}
