package index_test

import (
	"testing"

	"github.com/assent-dev/assent/engine/registry/index"
)

func TestSameName(t *testing.T) {
	for _, tc := range []struct {
		a, b           string
		same, has, had bool
	}{
		{"send-fax", "sends-faxes", true, true, true},
		{"send-fax", "Sending_Fax", true, true, true},
		{"send-fax", "fax-sending", true, true, true},
		{"send-fax", "fax-sender", true, true, true},
		{"scan-port", "port-scanner", true, true, true},
		{"write-letter", "letter_writers", true, true, true},
		{"make-order", "ordering-maker", true, true, true},
		{"parse-csv", "csv-parser", true, true, true},
		{"translate-text", "text-translator", true, true, true},
		{"send-fax", "fax-center", false, false, false},
		{"csv-to-json", "json-to-csv", false, true, true},
		{"table-to-json", "tables-to-json", true, true, true},
		{"send-fax", "send-faxes-abroad", false, false, true},
		{"send-fax", "send-telex", false, false, false},
		{"jira", "jirafa", false, false, false},
		{"the", "about", false, false, false},
		{"x", "", false, false, false},
	} {
		if got := index.SameName(tc.a, tc.b); got != tc.same || got != index.SameName(tc.b, tc.a) {
			t.Errorf("%s, %s: the same: %t", tc.a, tc.b, got)
		}
		if a, b := index.HasName(tc.a, tc.b), index.HasName(tc.b, tc.a); a != tc.has || b != tc.had {
			t.Errorf("%s, %s: %t, %t", tc.a, tc.b, a, b)
		}
	}
}
