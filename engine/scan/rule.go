package scan

import (
	"slices"
	"sync"

	"github.com/assent-dev/assent/engine/base/diag"
)

// rule is one entry of the table: its text, and how its matches are found. Patterns
// need literals and cost nothing in a text without them. check looks at a whole
// document and must be linear.
type rule struct {
	RuleInfo
	patterns []pattern
	check    func(m *machine, d *document) []match
	// grows makes a note of this rule a warning where a change adds it: common in
	// honest texts, telling in an edit of one.
	grows bool
	// consent makes a note of a warning where a person is asked before the act.
	consent bool
}

// pattern is a regular expression that is tried only near literals.
type pattern struct {
	// near are lower-case literals; every match contains at least one of them.
	near []string
	re   *expression
	// declared says that the pattern is silent where nothing is declared.
	declared bool
	// in says where matches count.
	in place
	// severity is the severity of a match before judge has seen it.
	severity diag.Severity
	// confidence is in (0, 1]; 0 means exact.
	confidence float64
	// remark says that matches are notes, and that a few of them are enough: they have
	// a budget of their own, and no text is refused for them.
	remark bool
	// message, unless "", replaces the rule's summary.
	message string
	// judge may drop a match or change its strength; nil keeps it.
	judge func(d *document, m *match) bool
}

// match is a finding before it has a line number.
type match struct {
	start, end int
	// groups are the submatch offsets in the document, in pairs; -1 is unset.
	groups     []int
	severity   diag.Severity
	confidence float64
	// message replaces the rule's summary, evidence the matched text, if not "".
	message, evidence string
}

// group returns submatch i of m, or "".
func (m *match) group(d *document, i int) string {
	if 2*i+1 >= len(m.groups) || m.groups[2*i] < 0 {
		return ""
	}
	return d.text[m.groups[2*i]:m.groups[2*i+1]]
}

// lower weakens m to at most s.
func (m *match) lower(s diag.Severity) { m.severity = max(m.severity, s) }

// machine is the table with its literal matcher.
type machine struct {
	rules    []rule
	literals *matcher
	// wants[literal] lists patterns as indices into flat.
	wants [][]uint16
	flat  []*pattern
	// owner[i] is the rule of flat[i].
	owner []int
	// topics has a bit for each literal that is a word of texts about attacks.
	topics  []uint32
	surveys sync.Pool
}

// engine returns the compiled table. It is built once, on first use, and never
// changes afterwards.
//
//nolint:gochecknoglobals // a constant that is too dear to build at start.
var engine = sync.OnceValue(func() *machine { return newMachine(rules().table()) })

func newMachine(rules []rule) *machine {
	m := &machine{rules: rules}
	index := make(map[string]uint16, 4096)
	var literals []string
	number := func(word string) uint16 {
		i, ok := index[word]
		if !ok {
			i = uint16(len(literals))
			index[word] = i
			literals = append(literals, word)
		}
		return i
	}
	var wants [][2]uint16
	for r := range rules {
		for p := range rules[r].patterns {
			pat := &rules[r].patterns[p]
			for _, lit := range pat.near {
				wants = append(wants, [2]uint16{number(lit), uint16(len(m.flat))})
			}
			m.flat = append(m.flat, pat)
			m.owner = append(m.owner, r)
		}
	}
	words := topics()
	for _, word := range words {
		number(word)
	}
	m.topics = make([]uint32, len(literals))
	for i, word := range words {
		m.topics[index[word]] = 1 << i
	}
	m.wants = make([][]uint16, len(literals))
	for _, w := range wants {
		m.wants[w[0]] = append(m.wants[w[0]], w[1])
	}
	m.literals = newMatcher(literals)
	m.surveys.New = func() any {
		return &survey{spans: make([][]span, len(m.flat))}
	}
	return m
}

// byID returns the rule with that id, which must stand in the table.
func (m *machine) byID(id string) *rule {
	i := slices.IndexFunc(m.rules, func(r rule) bool { return r.ID == id })
	return &m.rules[i]
}
