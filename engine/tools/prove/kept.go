package prove

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2/maybe"

	"github.com/assent-dev/assent/engine/format/proof"
)

// Kept is what trials came to that were run here: a folder of the user's own, with a file
// for each subject. It is a cache, and what cannot be read is not there.
type Kept struct{ Dir string }

// maxKept bounds how many trials are kept, of which the newest stay.
const maxKept = 1000

func (k Kept) file(subject string) string {
	return filepath.Join(k.Dir, strings.TrimPrefix(subject, "sha256:")+".json")
}

// Load returns what was kept of a subject whose cases were each run so often.
func (k Kept) Load(subject string, repeat int) (proof.Trial, bool) {
	var t proof.Trial
	data, err := os.ReadFile(k.file(subject))
	if err != nil || json.Unmarshal(data, &t) != nil || t.Check() != nil {
		return t, false
	}
	return t, t.Subject == subject && t.Repeat >= repeat && !t.Unfinished()
}

// Save keeps a trial in place of an earlier one. What was not run as a whole is not kept.
func (k Kept) Save(t proof.Trial) error {
	if t.Unfinished() {
		return nil
	}
	data, err := json.Marshal(t)
	if err == nil {
		err = os.MkdirAll(k.Dir, 0o700)
	}
	if err == nil {
		err = maybe.WriteFile(k.file(t.Subject), data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("keep what the tests of %s came to: %w", t.Name, err)
	}
	return k.tidy()
}

// tidy removes the oldest where there are too many.
func (k Kept) tidy() error {
	entries, err := os.ReadDir(k.Dir)
	if err != nil || len(entries) <= maxKept {
		return err //nolint:wrapcheck // nobody depends on it
	}
	age := map[string]int64{}
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			age[e.Name()] = info.ModTime().UnixNano()
		}
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return cmp.Compare(age[a.Name()], age[b.Name()]) })
	for _, e := range entries[:len(entries)-maxKept] {
		_ = os.Remove(filepath.Join(k.Dir, e.Name()))
	}
	return nil
}
