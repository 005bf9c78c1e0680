package main

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// TestCount: rooms, lines, methods by any receiver, and structs with the same fields.
func TestCount(t *testing.T) {
	f, err := count(fstest.MapFS{
		"engine/gate/policy/a.go": {Data: []byte("package policy\n\ntype Fact struct{ A, B, C, D, E int }\n\nfunc (f Fact) One() {}\nfunc (f *Fact) two() {}\n")},
		"engine/gate/b.go":        {Data: []byte("package gate\n\ntype Set[T any] struct{}\n\nfunc (s *Set[T]) Add(t T) {}\n")},
		"engine/gate/b_test.go":   {Data: []byte("package gate\n")},
		"cmd/x/main.go":           {Data: []byte("package main\n\ntype shown struct {\n\tA, B, C, D, E, F int\n\tg int\n}\n\ntype other struct{ A, B, C, D, Z int }\n")},
		"engine/testdata/c.go":    {Data: []byte("not Go")},
		".hidden/d.go":            {Data: []byte("not Go")},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := figures{
		Rooms:  []room{{"cmd", 1, 8, 0}, {"gate", 2, 11, 1}},
		Types:  []methods{{"engine/gate/policy.Fact", 2}, {"engine/gate.Set", 1}},
		Copies: [][]string{{"cmd/x.shown", "engine/gate/policy.Fact"}},
	}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Error(diff)
	}
	if text := tables([]figures{f}); !strings.Contains(text, "| gate | 2 | 11 | 1 |") {
		t.Error(text)
	}
	f.Copies = append(f.Copies, []string{"engine/proposals/importer.Fitted", "engine/format/capability.Imported"})
	if got := f.left(); len(got) != 1 {
		t.Errorf("%v", got)
	}
	if text := copyTables([]figures{f}); !strings.Contains(text, ": 2 groups, 1 of them copies\n") || !strings.Contains(text, "importer.Fitted: one item") {
		t.Error(text)
	}
	if _, err := count(fstest.MapFS{"engine/a.go": {Data: []byte("not Go")}}); err == nil {
		t.Error("a file that is no Go was counted")
	}
}
