package exchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2/maybe"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/git/journal"
)

// Anyone who can push decides what a damaged journal costs. The invariant: a clone examines what was
// pushed once. What of a journal can be read follows from its last commit and from our journal, so
// forgetting it costs time and changes no answer.

// part is what of a damaged journal can be read. Why is the reason if that could not be seen.
type part struct {
	At  tree.Hash `json:"at"`
	Why string    `json:"why,omitempty"`
}

// parts are those of the damaged journals on remotes, as of the last pull.
type parts struct {
	file, remote string
	// known are the parts that earlier pulls found, seen those that this one needs.
	known, seen map[string]part
	fresh       bool
}

// openParts reads what earlier pulls found. What cannot be read is found again.
func openParts(commonDir, remote string) *parts {
	p := &parts{file: filepath.Join(commonDir, "assent", "damaged"), remote: remote + " ", seen: map[string]part{}}
	data, err := os.ReadFile(p.file)
	if err != nil || json.Unmarshal(data, &p.known) != nil || p.known == nil {
		p.known = map[string]part{}
	}
	return p
}

// of returns the part of a journal that ends at head there and at here in this clone.
func (p *parts) of(ref string, head, here tree.Hash, find func() (tree.Hash, error)) (tree.Hash, error) {
	key := p.remote + fmt.Sprint(version.Engine, " ", ref, " ", head, " ", here)
	//defence:damage-is-judged-once
	if found, known := p.known[key]; known {
		p.seen[key] = found
		if found.Why != "" {
			return tree.Hash{}, errors.New(found.Why)
		}
		return found.At, nil
	}
	at, err := find()
	found := part{At: at}
	if err != nil {
		found.Why = err.Error()
	}
	if err == nil || errors.Is(err, journal.ErrNotJournal) {
		p.known[key], p.seen[key], p.fresh = found, found, true
	}
	return at, err
}

// save stores what this pull needed, and what belongs to other remotes. What it cannot store is found again.
func (p *parts) save() {
	for key, found := range p.known {
		if !strings.HasPrefix(key, p.remote) {
			p.seen[key] = found
		}
	}
	if !p.fresh && len(p.known) == len(p.seen) {
		return
	}
	data, err := json.Marshal(p.seen)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(p.file), 0o777)
	}
	if err == nil {
		_ = maybe.WriteFile(p.file, data, 0o644)
	}
}
