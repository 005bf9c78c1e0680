package prove_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/assent-dev/assent/engine/format/proof"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/tools/prove"
)

// A result is kept for exactly its subject and its number of runs.
func TestKept(t *testing.T) {
	k := prove.Kept{Dir: filepath.Join(t.TempDir(), "proofs")}
	r := suite.Report{Subject: suite.Subject{Name: "x"}, State: suite.Passed, Mastery: 1, Passed: 2}
	good := proof.TrialOf("skills/x", "sha256:aa", 3, r, "sha256:bb", nil)
	if _, known := k.Load("sha256:aa", 1); known {
		t.Error("known before it was run")
	}
	if err := k.Save(good); err != nil {
		t.Fatal(err)
	}
	for _, w := range []struct {
		subject string
		repeat  int
		known   bool
	}{{"sha256:aa", 1, true}, {"sha256:aa", 3, true}, {"sha256:aa", 4, false}, {"sha256:ab", 1, false}} {
		if _, known := k.Load(w.subject, w.repeat); known != w.known {
			t.Errorf("%s, %d times: %v", w.subject, w.repeat, known)
		}
	}

	// A file that is moved, cut short or incomplete is ignored.
	if err := os.Rename(filepath.Join(k.Dir, "aa.json"), filepath.Join(k.Dir, "ab.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(k.Dir, "ac.json"), []byte(`{"subject":"sha256:ac","repeat":3}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, subject := range []string{"sha256:aa", "sha256:ab", "sha256:ac"} {
		if _, known := k.Load(subject, 1); known {
			t.Error(subject)
		}
	}

	// An incomplete run is not kept.
	good.State, good.RequiredSkipped = suite.Incomplete, 1
	if err := k.Save(good); err != nil {
		t.Fatal(err)
	}
	if _, known := k.Load("sha256:aa", 1); known {
		t.Error("what was not run as a whole is remembered")
	}
}
