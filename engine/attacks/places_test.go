package attacks_test

import (
	"crypto/sha1" //nolint:gosec // records are spread by it
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// added returns places that an attacker adds to a journal. Honest events stay in place.
func added() []damage {
	live := func(d tightened, head tree.Hash) { d.put(local.PullPrefix+d.pull.ID, head) }
	older := func(d tightened, n int) tree.Hash { return d.events()[n].Commit }
	return []damage{
		{"an older live ref", func(d tightened) { live(d, older(d, 1)) }, stands},
		{"a live ref at the first event", func(d tightened) { live(d, older(d, 0)) }, stands},
		{"a live ref that goes another way", func(d tightened) { live(d, d.forks(d.events()[:2], 1)) }, stands},
		{"folds of older events", func(d tightened) {
			for i, line := range []string{"2027", "a", "0001"} {
				d.folds(line, older(d, i))
			}
		}, stands},
		{"a fold whose record cannot be read", func(d tightened) { d.records("2027", []byte("{")) }, stands},
		{"a fold of the announcement without the approvals", func(d tightened) { d.folds("a", d.copies(1)) }, stands},
		{"a fold of many copies of the announcement", func(d tightened) { d.folds("2027", d.copies(20)) }, stands},
		{"a live ref of many copies of the announcement", func(d tightened) { live(d, d.copies(20)) }, stands},
		{"many folds of copies of the announcement", func(d tightened) {
			var heads []tree.Hash
			for n := range 20 {
				heads = append(heads, d.copies(1+n))
			}
			for n, head := range heads {
				d.folds(strconv.Itoa(2027+n), head)
			}
		}, stands},
		{"announcements by a listed agent", func(d tightened) { d.folds("2027", d.announces(20, "mongke")) }, stands},
		{"many beginnings with copies of the announcement", func(d tightened) {
			var head []tree.Hash
			for range 20 {
				head = []tree.Hash{d.copies(1, head...)}
			}
			d.folds("2027", head[0])
		}, stands},
	}
}

// copies writes a journal that announces the merge n times without its approvals, upon a commit if
// one is given.
func (d tightened) copies(n int, upon ...tree.Hash) tree.Hash { return d.announces(n, "", upon...) }

// announces is like copies. If a signer is given, each announcement has its own attestation by
// that signer.
func (d tightened) announces(n int, signer string, upon ...tree.Hash) tree.Hash {
	d.Helper()
	events := slices.DeleteFunc(d.events(), func(e journal.Event) bool { return e.Kind == "review" || e.Kind == "merged" })
	events[0].Anchors = append(upon, events[0].Anchors...)
	at := slices.IndexFunc(events, func(e journal.Event) bool { return e.Kind == "merging" })
	var history []journal.Event
	for i, ev := range append(events[:at:at], slices.Repeat([]journal.Event{events[at]}, n)...) {
		if signer != "" && i >= at {
			att, err := attest.Decode(ev.Files["attestation.json"])
			d.ok(err)
			att.At = att.At.Add(time.Duration(i) * time.Second)
			data, err := att.Encode()
			d.ok(err)
			sig, err := review.SignAttestation(data, d.who[signer])
			d.ok(err)
			ev.Files = map[string][]byte{"attestation.json": data, "attestation.sig": sig}
		}
		stored, err := journal.Continue(d.Repo, history, ev)
		d.ok(err)
		history = append(history, stored)
	}
	d.ok(d.Repo.Sync())
	return history[len(history)-1].Commit
}

// forks writes comments upon events.
func (d tightened) forks(history []journal.Event, n int) tree.Hash {
	d.Helper()
	for range n {
		stored, err := journal.Continue(d.Repo, history, journal.Event{Kind: "comment", At: d.tick(), By: "bob", Note: "no"})
		d.ok(err)
		history = append(history, stored)
	}
	d.ok(d.Repo.Sync())
	return history[len(history)-1].Commit
}

// folds adds a line that claims the journal ends at head.
func (d tightened) folds(line string, head tree.Hash) {
	d.Helper()
	data, err := json.Marshal(map[string]any{"v": 1, "name": d.pull.ID, "head": head, "summary": map[string]any{}})
	d.ok(err)
	d.records(line, data, head)
}

// records adds a line with any record of the journal.
func (d tightened) records(line string, data []byte, heads ...tree.Hash) {
	d.Helper()
	sum := fmt.Sprintf("%x", sha1.Sum([]byte(d.pull.ID))) //nolint:gosec // see the import
	at := path.Join(sum[:1], sum[1:2], sum[2:3], d.pull.ID)
	root, err := d.Repo.WriteTree(tree.Hash{}, []tree.Edit{{Path: at, Content: data}})
	d.ok(err)
	d.put(local.ClosedPrefix+line, d.commitTree(gitstore.Person{Name: "bob", When: d.tick()}, "Fold 1 journals\n\nAssent-Fold: 1", root, heads...))
}

// Added refs cannot void a merge in force: one place does not hide a record at another place, and
// copies do not crowd out an announcement.
func TestAttackAddedPlaces(t *testing.T) {
	live := newTightened(t)
	folded := live.copied(t)
	folded.folded()
	for _, dmg := range added() {
		t.Run(dmg.name, func(t *testing.T) {
			d := folded.copied(t)
			dmg.do(d)
			d.reopen()
			if fresh, err := d.newReader(); err == nil {
				d.outsider(fresh)
			}
			d.readers(dmg.want)
		})
	}
}
