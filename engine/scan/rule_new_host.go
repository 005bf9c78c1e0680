package scan

import "github.com/assent-dev/assent/engine/diag"

// newHostRule: the change speaks to a host that was not spoken to before.
func newHostRule() deltaRule {
	return deltaRule{RuleInfo{"new-host", Delta, diag.Warning, "the change speaks to a host that was not spoken to before",
		"Most attacks on a reviewed capability are a small, plausible edit; a new address is where its data goes.",
		"Say in the proposal why the host is needed."}, hostItems}
}

func hostItems(d *document) []item {
	var items []item
	for _, h := range hosts(d) {
		items = append(items, item{h.span, h.name})
	}
	return items
}
