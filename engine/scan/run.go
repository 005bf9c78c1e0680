package scan

import (
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

const (
	// before and after bound the neighbourhood of a literal that a pattern sees.
	before, after = 240, 480
	// confirmBudget bounds the bytes that expressions see in one document, beyond
	// half its size, so that a file that consists only of their matches is refused
	// rather than slow; they take up to a microsecond a byte. Ordinary texts need a
	// tenth of their size. Where there are many files it is shared, down to leastBudget.
	confirmBudget, leastBudget = 128 << 10, 4 << 10
	// sharedBudget is the budget that the files of one call share, beyond their sizes.
	sharedBudget = 4 << 20
	// mostPrograms bounds the bytes of programs that are read in the files of one call;
	// parsing takes up to two microseconds a byte. Small files are read before large ones.
	mostPrograms = 1 << 20
	// maxMatches bounds the findings of one rule in one document.
	maxMatches = 60
	// maxTries bounds the matches of one pattern, so that judging them stays cheap.
	maxTries = 240
	// maxDepth bounds the levels of encoding that are decoded.
	maxDepth = 2
)

// span is a stretch of text, end exclusive.
type span struct{ start, end int }

// finding is a match with the rule that made it.
type finding struct {
	rule *rule
	match
}

// readFile returns f as a document, or nil and why it cannot be read. Findings about a
// file that can be read all the same come with it.
func readFile(f File, opt Options) (*document, diag.List) {
	text, found := readable(f, opt)
	if text == "" {
		return nil, found
	}
	d := newDocument(f.Path, text, opt.declaredFor(f.Path))
	d.plain = f.plain
	return d, found
}

// scanDocument returns the findings of the rules in d, which may be nil.
func scanDocument(d *document) diag.List {
	if d == nil {
		return nil
	}
	hits := engine().scan(d)
	found := make(diag.List, 0, len(hits))
	for _, hit := range hits {
		found.Add(hit.diagnostic(d))
	}
	return found
}

// scan applies the table to d and to the texts encoded in it.
func (m *machine) scan(d *document) []finding {
	d.machine = m
	found := m.confirm(d)
	for r := range m.rules {
		if check := m.rules[r].check; check != nil {
			found = appendMatches(found, &m.rules[r], check(m, d))
		}
	}
	found = append(found, m.unfolded(d)...)
	found = append(found, m.spelled(d)...)
	if d.unread {
		found = append(found, m.tooDense(d, diag.Warning))
	}
	for i := range found {
		found[i].heedConsent(d)
	}
	return merged(leastBeside(found))
}

// confirm runs each pattern over the neighbourhoods of its literals, where the
// text can match at all.
func (m *machine) confirm(d *document) []finding {
	w := m.survey(d)
	defer m.surveys.Put(w)
	var found []finding
	var parts []part
	budget := d.budget + len(d.text)/2
	spare := min(few, d.budget-leastBudget) + len(d.text)/4
	for p, near := range w.spans {
		pat := m.flat[p]
		if len(near) == 0 || pat.declared && d.declared == nil || d.whole && pat.in&d.regions[0].place == 0 {
			continue
		}
		var kept []match
		parts = pat.re.within(d.text, near, parts[:0])
		for _, s := range parts {
			if pat.remark {
				if spare -= s.end - s.start; spare < 0 {
					break
				}
			} else if budget -= s.end - s.start; budget < 0 {
				return append(found, m.tooDense(d, diag.Error))
			}
			var all bool
			if kept, all = pat.matches(d, s, kept); !all && pat.severity < diag.Note {
				found = append(found, m.tooDense(d, diag.Warning))
				break
			}
		}
		if pat.remark {
			kept = distinct(d, kept)
		}
		found = appendMatches(found, &m.rules[m.owner[p]], kept)
	}
	return found
}

// matches appends the matches of p inside s to kept. It reports whether these are all.
func (p *pattern) matches(d *document, s part, kept []match) ([]match, bool) {
	locs := p.re.matches(d.text[s.start:s.end], s.within(), maxTries)
	for _, loc := range locs {
		for i := range loc {
			if loc[i] >= 0 {
				loc[i] += s.start
			}
		}
		// What a pattern needs in front of a command is not part of it.
		lead := len(d.text[loc[0]:loc[1]]) - len(strings.TrimLeft(d.text[loc[0]:loc[1]], " \t\r\n;&|(>"))
		m := match{start: loc[0] + lead, end: loc[1], groups: loc, severity: p.severity, confidence: p.confidence, message: p.message}
		if d.placeOf(m.start)&p.in == 0 {
			continue
		}
		if p.judge == nil || p.judge(d, &m) {
			kept = append(kept, m)
		}
	}
	return kept, len(locs) < maxTries && len(kept) < maxTries
}

// strongest collects the matches of a rule. If there are too many, a stronger match replaces a
// weaker one, so that many notes cannot hide an error.
type strongest struct {
	found []match
	weak  int // where the last of the weakest is, once there are maxTries
}

func (s *strongest) add(m match) {
	switch {
	case len(s.found) < maxTries:
		s.found = append(s.found, m)
	case m.severity < s.found[s.weak].severity:
		s.found[s.weak] = m
	default:
		return
	}
	if len(s.found) == maxTries {
		s.weak = weakest(maxTries, func(i int) diag.Severity { return s.found[i].severity })
	}
}

// weakest returns the index of the last of the least severe of n elements; n is at least 1.
func weakest(n int, severity func(int) diag.Severity) int {
	weak := n - 1
	for i := weak - 1; i >= 0; i-- {
		if severity(i) > severity(weak) {
			weak = i
		}
	}
	return weak
}

// appendMatches keeps the strongest of overlapping matches of one rule. Of these it
// keeps the strongest maxMatches: a person would not read more.
func appendMatches(found []finding, r *rule, matches []match) []finding {
	from := len(found)
	for from > 0 && found[from-1].rule == r {
		from--
	}
	weak, more := -1, false // weak is known, unless negative, once there are maxMatches
next:
	for _, m := range matches {
		for i := from; i < len(found); i++ {
			if old := &found[i]; old.start < m.end && m.start < old.end {
				if m.severity < old.severity {
					old.match, weak = m, -1
				}
				continue next
			}
		}
		if len(found)-from < maxMatches {
			found = append(found, finding{r, m})
			continue
		}
		more = true
		if weak < 0 {
			weak = from + weakest(maxMatches, func(i int) diag.Severity { return found[from+i].severity })
		}
		if m.severity < found[weak].severity {
			found[weak], weak = finding{r, m}, -1
		}
	}
	if more {
		found[len(found)-1].message = fmt.Sprintf("%s (further findings in this file are not listed)", r.Summary)
	}
	return found
}

// tooDense says that d was not examined to its end. A person must look at it;
// one that exhausts the whole budget is refused.
func (m *machine) tooDense(d *document, severity diag.Severity) finding {
	return finding{m.byID(ruleTooDense), match{end: min(len(d.text), 1), severity: severity, confidence: 0.8}}
}

func (f finding) diagnostic(d *document) diag.Diagnostic {
	message, evidence := f.message, f.evidence
	if message == "" {
		message = f.rule.Summary
	}
	if evidence == "" {
		evidence = d.text[f.start:f.end]
	}
	return diag.Diagnostic{
		Rule:       f.rule.ID,
		Severity:   f.severity,
		Pos:        d.pos(f.start),
		Message:    message,
		Fix:        f.rule.Fix,
		Why:        f.rule.Why,
		Evidence:   Visible(evidence),
		Confidence: f.confidence,
	}
}

// declaredFor returns the declaration of the capability that holds path.
func (o Options) declaredFor(path string) *Declared {
	for dir := path; dir != ""; {
		i := strings.LastIndexByte(dir, '/')
		if i < 0 {
			return nil
		}
		dir = dir[:i]
		if declared, ok := o.Declared[dir]; ok {
			return &declared
		}
	}
	return nil
}
