package attacks_test

import (
	"fmt"
	"testing"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
)

func deepJunkDefences() map[string]defence {
	return map[string]defence{
		"repairs-see-what-they-replace": {attack: "TestAttackUnseenBelow"},
	}
}

// buried writes n things upon a journal that make it unreadable: commits that are no events, events that
// do not replay, and events whose numbers do not follow.
func (d *world) buried(head tree.Hash, n int, kind string) (heads []tree.Hash) {
	d.Helper()
	who := gitstore.Person{Name: "eve", When: d.clock}
	last, err := journal.Last(d.Repo, head)
	d.ok(err)
	empty, err := d.Repo.WriteTree(tree.Hash{}, nil)
	d.ok(err)
	for i := range n {
		text := "junk"
		switch kind {
		case "events that do not replay":
			text = fmt.Sprintf("pushed: by eve\n\nAssent-Journal: 1\nAssent-Sequence: %d\nAssent-Event: pushed\nAssent-At: %s\nAssent-By: eve\n", last.Sequence+1+i, d.clock.Format("2006-01-02T15:04:05Z"))
		case "events with gaps":
			text = fmt.Sprintf("comment: by eve\n\nAssent-Journal: 1\nAssent-Sequence: %d\nAssent-Event: comment\nAssent-At: %s\nAssent-By: eve\n", last.Sequence+2+2*i, d.clock.Format("2006-01-02T15:04:05Z"))
		}
		head, err = d.Repo.WriteCommit(gitstore.Commit{Tree: empty, Parents: []tree.Hash{head}, Author: who, Committer: who, Message: text}, nil)
		d.ok(err)
		heads = append(heads, head)
	}
	d.ok(d.Repo.Sync())
	return heads
}

// However much is above a rejection on the hub, repairing the journal does not lose it.
func TestDeepJunk(t *testing.T) {
	d := newWorld(t)
	p := d.proposed("kublai", skill("clove-hitch"))
	hub := d.copied()
	ref := local.PullPrefix + p.ID
	hub.decided(p.ID, review.Reject, "bob")
	whole := hub.ref(ref)
	kinds := []string{"junk", "events that do not replay", "events with gaps"}
	for _, kind := range kinds {
		heads := hub.buried(whole, 400, kind)
		for n := 0; n < len(heads); n += 11 {
			if part, err := hub.Record.ReadablePart(p.ID, heads[n]); err != nil || part != whole {
				d.succeeds("%s, %d: the readable part ends at %s: %v", kind, n, part.Short(), err)
				return
			}
		}
	}
	for _, kind := range kinds {
		hub.put(ref, hub.buried(whole, 201, kind)[200])
		found, err := exchange.Damages(d.Context(), d.Workspace, "origin")
		d.ok(err)
		if len(found) != 1 || !found[0].Restorable && !found[0].Cut {
			d.Fatalf("%s: found %+v", kind, found)
		}
		_, err = exchange.Restore(d.Context(), d.Workspace, "origin", found[0])
		d.ok(err)
		if now := hub.ref(ref); now != whole {
			d.succeeds("%s: the rejection is gone from the hub, which is at %s", kind, now.Short())
			return
		}
	}
}

// A journal on the hub stays if nothing says what is below its end.
func TestAttackUnseenBelow(t *testing.T) {
	d := newWorld(t)
	p := d.proposed("kublai", skill("clove-hitch"))
	hub := d.copied()
	ref := local.PullPrefix + p.ID
	hub.decided(p.ID, review.Reject, "bob")
	hub.git("-c", "user.name=eve", "-c", "user.email=e@example.org", "tag", "-a", "-m", "x", "x", hub.ref(ref).String())
	hub.git("update-ref", ref, hub.git("rev-parse", "refs/tags/x"))
	bad := hub.ref(ref)
	found, err := exchange.Damages(d.Context(), d.Workspace, "origin")
	d.ok(err)
	if len(found) != 1 || !found[0].Restorable {
		d.Fatalf("found %+v", found)
	}
	if _, err = exchange.Restore(d.Context(), d.Workspace, "origin", found[0]); err == nil || hub.ref(ref) != bad {
		d.succeeds("the journal is replaced by the one here: %v", err)
	}
}
