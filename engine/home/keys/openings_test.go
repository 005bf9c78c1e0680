package keys_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/home/keys"
)

// Openings are found again after any truncation of the file; an empty file differs from a missing one.
func TestOpenings(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("ASSENT_HOME", dir)
	workspace := strings.Repeat("ab", 20)
	if here, err := keys.LoadOpenings(workspace); here != nil || err != nil {
		t.Fatalf("before anything was opened: %v, %v", here, err)
	}
	save := func(o keys.Opening) {
		t.Helper()
		if err := keys.SaveOpening(t.Context(), workspace, o); err != nil {
			t.Fatal(err)
		}
	}
	first := keys.Opening{ID: "bowline-abcd2345", By: "kublai", Head: strings.Repeat("1", 40)}
	save(first)
	file := filepath.Join(dir, "opened", workspace)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(data, "\n{\"id\":\"cut"...), 0o600); err != nil {
		t.Fatal(err)
	}
	second := keys.Opening{ID: "sheet-bend-abcd2345", By: "mongke"}
	save(second)
	here, err := keys.LoadOpenings(workspace)
	if err != nil || len(here) != 2 || here[first.ID] != first || here[second.ID] != second {
		t.Fatalf("%v, %v", here, err)
	}
	if err := keys.SaveOpening(t.Context(), "../"+workspace, first); err == nil {
		t.Error("it was saved for what is no workspace")
	}
	var long strings.Builder
	for n := range 16000 {
		fmt.Fprintf(&long, "\n{\"id\":\"old-%08d\",\"by\":\"kublai\",\"head\":%q}", n, first.Head)
	}
	if err := os.WriteFile(file, []byte(long.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	save(first)
	here, err = keys.LoadOpenings(workspace)
	_, oldest := here["old-00000000"]
	_, newest := here["old-00015999"]
	if err != nil || oldest || !newest || here[first.ID] != first || len(here) > 8200 {
		t.Errorf("%d remembered, oldest %v, newest %v: %v", len(here), oldest, newest, err)
	}
}
