package scan

// survey is the result of one pass over a text for all literals.
type survey struct {
	// spans are by pattern: the merged neighbourhoods of its literals.
	spans [][]span
	// topics has a bit for each word of texts about attacks that was seen.
	topics uint32
}

// survey looks for the literals in d. The caller gives the result back to m.surveys.
func (m *machine) survey(d *document) *survey {
	w := m.surveys.Get().(*survey)
	w.topics = 0
	for p := range w.spans {
		w.spans[p] = w.spans[p][:0]
	}
	m.literals.each(d.text, func(literal uint16, end int) {
		w.topics |= m.topics[literal]
		if wants := m.wants[literal]; len(wants) > 0 {
			w.widen(d, wants, end)
		}
	})
	d.noteTopics(w.topics)
	return w
}

// widen adds the neighbourhood of a literal to the spans of the patterns that want it.
func (w *survey) widen(d *document, wants []uint16, end int) {
	var s span
	for _, p := range wants {
		near := w.spans[p]
		if n := len(near); n > 0 && end <= near[n-1].end-after/2 {
			continue
		}
		if s.end == 0 {
			s = d.neighbourhood(end)
		}
		if n := len(near); n > 0 && s.start <= near[n-1].end {
			near[n-1].end = max(near[n-1].end, s.end)
			continue
		}
		w.spans[p] = append(near, s)
	}
}
