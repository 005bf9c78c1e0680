package scan

import (
	"regexp"
	"slices"
	"sync"

	"github.com/assent-dev/assent/engine/diag"
)

// rule is one entry of the table: what it says, and how it is found. Patterns
// need literals and cost nothing where these do not stand; check looks at a
// whole document and must be linear.
type rule struct {
	RuleInfo
	patterns []pattern
	check    func(m *machine, d *document) []match
	// grows makes a note of this rule a warning where a change adds it: common in
	// honest texts, telling in an edit of one.
	grows bool
}

// pattern is a regular expression that is tried only near literals.
type pattern struct {
	// near are lower-case literals of which every match contains at least one.
	near []string
	// re compiles on first use.
	re func() *regexp.Regexp
	// quick is derived from re when it is first needed.
	quick func() *automaton
	// declared says that the pattern is silent where nothing is declared.
	declared bool
	// in says where matches count.
	in place
	// severity is what a match is before judge has seen it.
	severity diag.Severity
	// confidence is in (0, 1]; 0 stands for exact.
	confidence float64
	// remark says that matches are notes of which some are enough: they have a
	// budget of their own, and no text is refused for them.
	remark bool
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

// expr compiles a regular expression when it is first needed: most files need
// none, and a program that does not scan should not pay for them.
func expr(source string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(source) })
}

// machine is the table with its literal matcher.
type machine struct {
	rules    []rule
	literals *matcher
	// wants[literal] lists patterns as indices into flat.
	wants [][]int
	flat  []*pattern
	// owner[i] is the rule of flat[i].
	owner []int
}

// engine returns the compiled table. It is built once, on first use, and never
// changes afterwards.
//
//nolint:gochecknoglobals // a constant that is too dear to build at start.
var engine = sync.OnceValue(func() *machine { return newMachine(table()) })

func newMachine(rules []rule) *machine {
	m := &machine{rules: rules}
	index := map[string]int{}
	var literals []string
	for r := range rules {
		for p := range rules[r].patterns {
			pat := &rules[r].patterns[p]
			pat.quick = sync.OnceValue(func() *automaton { return newAutomaton(pat.re().String()) })
			m.flat = append(m.flat, pat)
			m.owner = append(m.owner, r)
			for _, lit := range pat.near {
				i, known := index[lit]
				if !known {
					i = len(literals)
					index[lit] = i
					literals = append(literals, lit)
					m.wants = append(m.wants, nil)
				}
				m.wants[i] = append(m.wants[i], len(m.flat)-1)
			}
		}
	}
	m.literals = newMatcher(literals)
	return m
}

// byID returns the rule with that id, which must stand in the table.
func (m *machine) byID(id string) *rule {
	i := slices.IndexFunc(m.rules, func(r rule) bool { return r.ID == id })
	return &m.rules[i]
}
