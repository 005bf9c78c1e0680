package prove

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/format/proof"
	"github.com/assent-dev/assent/engine/home"
)

// Kept stores the results of trials that ran here: a folder of the user's own, with a file
// for each subject. It is a cache: an unreadable file counts as missing.
type Kept struct{ Dir string }

// maxKept bounds how many trials are kept, the newest ones; maxTrial is in bytes.
const (
	maxKept  = 1000
	maxTrial = 16 << 20
)

func (k Kept) store() home.Store { return home.At(k.Dir) }

func file(subject string) string { return strings.TrimPrefix(subject, "sha256:") + ".json" }

// Load returns the kept trial of a subject whose cases were each run repeat times.
func (k Kept) Load(subject string, repeat int) (proof.Trial, bool) {
	var t proof.Trial
	data, err := k.store().Read(file(subject), maxTrial)
	if err != nil || json.Unmarshal(data, &t) != nil || t.Check() != nil {
		return t, false
	}
	return t, t.Subject == subject && t.Repeat >= repeat && !t.Unfinished()
}

// Save stores a trial and replaces an earlier one. An incomplete trial is not stored.
func (k Kept) Save(t proof.Trial) error {
	if t.Unfinished() {
		return nil
	}
	data, err := json.Marshal(t)
	if err == nil {
		err = k.store().Cache(file(t.Subject), data)
	}
	if err != nil {
		return fmt.Errorf("keep what the tests of %s came to: %w", t.Name, err)
	}
	return k.tidy()
}

// tidy removes the oldest where there are too many.
func (k Kept) tidy() error {
	files, err := k.store().List(".")
	if err != nil || len(files) <= maxKept {
		return err //nolint:wrapcheck // no caller depends on it
	}
	order.Sort(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, f := range files[:len(files)-maxKept] {
		_ = k.store().Remove(f.Name())
	}
	return nil
}
