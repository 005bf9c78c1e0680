package calls_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/home/calls"
)

func TestFailures(t *testing.T) {
	dir := t.TempDir()
	s := calls.NewFailures(dir, "w")
	if all, err := s.All(); err != nil || all != nil {
		t.Fatalf("%v %v", all, err)
	}
	keep := func(tool, input string) string {
		t.Helper()
		id, err := s.Keep(t.Context(), calls.Failure{Tool: tool, Input: json.RawMessage(input), Error: "no", Type: "failed"})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	first := keep("a", `{"x":1}`)
	if again := keep("a", `{ "x": 1 }`); again != first {
		t.Errorf("the same failure is %s and %s", first, again)
	}
	other := keep("b", `{"x":1}`)
	if all, err := s.All(); err != nil || len(all) != 2 || all[1].ID != other {
		t.Errorf("%v %v", all, err)
	}
	if f, err := s.Find("a", calls.LastFailure); err != nil || f.ID != first {
		t.Errorf("%v %v", f, err)
	}
	if _, err := s.Find("a", other); !errors.Is(err, calls.ErrNoFailure) {
		t.Errorf("the failure of another tool: %v", err)
	}
	if id := keep("a", `"`+strings.Repeat("x", calls.MaxInput)+`"`); id != "" {
		t.Errorf("a large input is kept as %s", id)
	}
	for i := range calls.MaxFailures + 5 {
		keep("a", fmt.Sprint(i))
	}
	all, err := s.All()
	if err != nil || len(all) != calls.MaxFailures || string(all[0].Input) != "5" {
		t.Errorf("%d are kept, the first with %s: %v", len(all), all[0].Input, err)
	}
	file := filepath.Join(dir, "failures", "w.json")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if err := os.WriteFile(file, []byte("["), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.All(); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Error(err)
	}
}
