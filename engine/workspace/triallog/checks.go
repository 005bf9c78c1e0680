package triallog

import (
	"encoding/json"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// checkedFile remembers up to where the journals of others were checked. Without it they are
// checked again.
const checkedFile = "checked.json"

// checks is the state of one check of all journals.
type checks struct {
	log     Log
	own     trial.Writer
	known   map[trial.Writer]tree.Hash
	changed bool
}

func (l Log) checks(own trial.Writer) *checks {
	c := &checks{log: l, own: own, known: map[trial.Writer]tree.Hash{}}
	data, err := l.files.Read(checkedFile, 16<<20)
	if err != nil || json.Unmarshal(data, &c.known) != nil {
		c.known = map[trial.Writer]tree.Hash{}
	}
	return c
}

// sound returns the last batch of a journal that may count: this installation's own, or one in
// which every commit is exactly what its writer must write.
func (c *checks) sound(w trial.Writer, tip tree.Hash) (batch, error) {
	_, b, err := c.log.signed(tip, w)
	if err != nil || w == c.own || c.known[w] == tip {
		return b, err
	}
	if err := c.log.Continues(w, c.known[w], tip); err != nil {
		return batch{}, err
	}
	c.known[w], c.changed = tip, true
	return b, nil
}

// keep saves the checked tips, if it can.
func (c *checks) keep() {
	if !c.changed {
		return
	}
	data, err := json.Marshal(c.known)
	if err == nil {
		_ = c.log.files.Cache(checkedFile, data)
	}
}
