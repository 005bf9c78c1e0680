package attacks_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/tree"
)

func boundDefences() map[string]defence {
	return map[string]defence{"a-rolled-back-main-is-remembered": {attack: "TestAttackRollbackAgain"}}
}

// A main that a hub took back stays refused, whatever is run in between, and whatever is put on the
// older main. Once it is restored, everything goes on.
func TestAttackRollbackAgain(t *testing.T) {
	d := newWorld(t)
	old := d.main()
	d.merged(skill("clove-hitch"))
	hub, last := d.copied(), d.main()
	pull := func() error {
		_, err := exchange.Pull(d.Context(), d.Workspace, "origin", false)
		return err
	}
	d.ok(pull())
	between := []func(){
		func() {},
		func() { _ = pull() },
		func() { _, err := exchange.Damages(d.Context(), d.Workspace, "origin"); d.ok(err) },
		func() { _, _ = exchange.GiveUp(d.Context(), d.Workspace, "origin", false) },
	}
	for n := range 100 {
		forged := old
		for i := range n % 4 {
			forged = hub.commit(fmt.Sprintf("typo %d.%d", n, i), []tree.Hash{forged})
		}
		hub.put("refs/heads/main", forged)
		between[n/4%4]()
		if err := pull(); !errors.Is(err, exchange.ErrMovedBack) {
			d.succeeds("variant %d: the pull says %v", n, err)
			return
		}
		if given, err := exchange.GiveUp(d.Context(), d.Workspace, "origin", false); !errors.Is(err, exchange.ErrMovedBack) || d.main() != last {
			d.succeeds("variant %d: merges are given up: %+v, %v", n, given, err)
			return
		}
	}
	hub.put("refs/heads/main", last)
	d.ok(pull())
}
