package runtime_test

import (
	"slices"
	"testing"

	"github.com/assent-dev/assent/engine/sandbox/runtime"
)

func TestTable(t *testing.T) {
	for _, rt := range runtime.All() {
		if got, ok := runtime.Named(rt.Name); !ok || got.Program != rt.Program {
			t.Errorf("%s is not found by its name", rt.Name)
		}
		if got, ok := runtime.By(rt.Program); !ok || got.Name != rt.Name {
			t.Errorf("%s is not found by its program", rt.Name)
		}
		for _, ext := range rt.Extensions {
			if got, ok := runtime.Of("scripts/a" + ext); !ok || got.Name != rt.Name {
				t.Errorf("%s is not found by %s", rt.Name, ext)
			}
		}
	}
	if _, ok := runtime.Of("scripts/a.rb"); ok {
		t.Error("there is no Ruby")
	}
	python, _ := runtime.Named("python")
	if got := python.Args("main.py", "a"); !slices.Equal(got, []string{"python3", "-B", "main.py", "a"}) {
		t.Error(got)
	}
}
