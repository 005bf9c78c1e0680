package gaps

import (
	"strings"
	"testing"
)

// TestAbsences: absent.yaml has no error, and each of its expressions matches its example.
func TestAbsences(t *testing.T) {
	read, diags := readAbsences(absentFile)
	if len(diags) > 0 || len(read.all) == 0 {
		t.Fatalf("%d expressions: %v", len(read.all), diags)
	}
	for _, a := range read.all {
		said := lower(a.hears)
		switch {
		case strings.Contains(a.re.String(), "{{"):
			t.Errorf("%s: a fragment is not defined", a.re)
		case !hasAny(said, a.cues...):
			t.Errorf("%q has none of the cues %q", a.hears, a.cues)
		case !a.re.MatchString(said) || read.others.MatchString(said):
			t.Errorf("%q is not matched by %s", a.hears, a.re)
		}
	}
}

// TestBrokenAbsences: what is wrong with the file is reported.
func TestBrokenAbsences(t *testing.T) {
	for _, src := range []string{"absences: [", "absence: []", "absences:\n  - expressions:\n      - regexp: \"(\"\n"} {
		if _, diags := readAbsences([]byte(src)); !diags.HasErrors() {
			t.Errorf("%q has no error", src)
		}
	}
}
