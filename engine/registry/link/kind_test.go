package link_test

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/registry/link"
)

// TestKind: wordings of a step with other names, places, numbers and manners are of one kind, and other steps are of others.
func TestKind(t *testing.T) {
	known := map[string]int{}
	for i, wordings := range []string{
		`Chase debtors|chase the debtors for Anna at the mill|Please chase our debtors of customer 17 in Rome|can you chase debtors by Friday|For Bob, chase his debtors with care|
			chasing Miller's debtors from May|We need to quickly chase debtors, Anna first|I would like you to chase "Smith & Sons" debtors at /srv/debts.csv for ann@example.org|chase debtors: order #4711`,
		"Knead dough|knead the dough for customer 3|knead 20 doughs for the bakery until noon|then knead dough every day at the market",
		"remind Anna of the invoice|remind Bob at the station",
		"search for flights to Rome|search flights on Monday",
		"send the report to Anna|send Bob a report|send reports about sales",
		"send invoices|send the invoice to Bob",
		"log in to the server|log in to our servers with Bob",
	} {
		for _, w := range strings.Split(wordings, "|") {
			w = strings.TrimSpace(w)
			steps, _ := link.Steps(w)
			if len(steps) != 1 {
				t.Errorf("%q: %q", w, steps)
				continue
			}
			for _, text := range []string{w, steps[0]} { // as missions have it, and as their links have it
				kind := link.Kind(text, link.Names(w))
				if at, ok := known[kind]; !ok && w == strings.TrimSpace(strings.Split(wordings, "|")[0]) {
					known[kind] = i
				} else if !ok || at != i {
					t.Errorf("%q is %q, of no other wording, or of another step: %v", text, kind, known)
				}
			}
		}
	}
	if got := link.Kind("17, 18", nil) + link.Kind("", nil); got != "" {
		t.Errorf("no words: %q", got)
	}
	if n := link.Names("Chase Debtors For Anna"); len(n) > 0 {
		t.Errorf("of a title: %v", n)
	}
}
