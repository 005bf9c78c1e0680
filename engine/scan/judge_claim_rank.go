package scan

// judgeLoyalty keeps loyalty of customers out of it.
func judgeLoyalty(d *document, m *match) bool {
	if containsAny(d.text[max(0, m.start-30):min(len(d.text), m.end+30)], "customer", "brand", "Customer", "program", "points") {
		return false
	}
	return dropNegated(d, m)
}
