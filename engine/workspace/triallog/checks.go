package triallog

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// checkedFile remembers up to where the journals of others were checked. Without it they are
// checked again.
const checkedFile = "checked.json"

// Checks is the state of one check of all journals.
type Checks struct {
	log     Log
	own     trial.Writer
	known   map[trial.Writer]tree.Hash
	changed bool
	left    int // records of strangers that are still checked
}

// Checks begins a check of journals.
func (l Log) Checks() (*Checks, error) {
	own, err := l.Own()
	return l.checks(own), err
}

func (l Log) checks(own trial.Writer) *Checks {
	c := &Checks{log: l, own: own, known: map[trial.Writer]tree.Hash{}, left: maxUnchecked}
	data, err := l.files.Read(checkedFile, 16<<20)
	if err != nil || json.Unmarshal(data, &c.known) != nil {
		c.known = map[trial.Writer]tree.Hash{}
	}
	return c
}

// sound returns the last batch of a journal that may count: this installation's own, or one in
// which every commit is exactly what its writer must write. Of strangers it checks a part, and the
// error says that others remain.
func (c *Checks) sound(w trial.Writer, tip tree.Hash, known bool) (batch, error) {
	_, b, err := c.log.signed(tip, w)
	if err != nil || w == c.own || c.known[w] == tip {
		return b, err
	}
	at, err := c.onward(w, c.known[w], tip, known)
	if !at.IsZero() && at != c.known[w] {
		c.known[w], c.changed = at, true
	}
	if err != nil {
		return batch{}, err
	}
	return b, nil
}

// Take checks how far a journal goes on from one commit to another as its writer would have written
// it, and returns the last such commit. The error says why it is not the other one.
func (c *Checks) Take(w trial.Writer, from, to tree.Hash) (tree.Hash, error) {
	at, err := c.onward(w, from, to, isKnown(c.log, c.own, w))
	if c.known[w] == from && at != from { // else it is unknown whether the part before is sound
		c.known[w], c.changed = at, true
	}
	return at, err
}

// errLater says that commits of a stranger remain to be checked.
type errLater int

func (n errLater) Error() string {
	return fmt.Sprintf("%d commits of it are left for later: each command checks %d records of unlisted installations%s", int(n), maxUnchecked, listing)
}

// onward checks a journal from one commit to another, and of strangers a part. It returns the last
// commit that is sound.
func (c *Checks) onward(w trial.Writer, from, to tree.Hash, known bool) (tree.Hash, error) {
	left := math.MaxInt
	if !known {
		left = c.left
	}
	at, remain, err := continues(c.log, w, from, to, &left)
	if !known {
		c.left = left
	}
	if err == nil && remain > 0 {
		err = errLater(remain)
	}
	return at, err
}

// Keep saves the checked tips, if it can.
func (c *Checks) Keep() {
	if !c.changed {
		return
	}
	data, err := json.Marshal(c.known)
	if err == nil {
		_ = c.log.files.Cache(checkedFile, data)
	}
}

// IsLater reports whether an error of Take says only that a part is left for later.
func IsLater(err error) bool {
	var later errLater
	return errors.As(err, &later)
}
