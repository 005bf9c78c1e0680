package attacks_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// tightened is a world in which two humans made a policy stricter, by a merge whose attestation
// ada signed.
type tightened struct {
	*world
	pull forge.Pull
	at   tree.Hash // the merge commit
}

const strictPolicy = "policies/approvals.yaml"

func newTightened(t *testing.T) tightened {
	t.Helper()
	d := newWorld(t)
	d.Attester = d.who["ada"]
	p := d.merged(d.altered(strictPolicy, "  low: []", "  low: [{role: human, count: 1}]"))
	return tightened{world: d, pull: p, at: d.main()}
}

// copied returns a copy for one variant, with the memory of a reader who saw the merge.
func (d tightened) copied(t *testing.T) tightened {
	t.Helper()
	return tightened{world: d.clone(t), pull: d.pull, at: d.at}
}

// folded folds the journal of the only merge and drops its ref.
func (d *world) folded() {
	d.Helper()
	n, err := d.Archive.Fold(d.Context(), d.tick(), 10, nil)
	d.ok(err)
	if n != 1 {
		d.Fatalf("%d journals were folded", n)
	}
	d.clock = d.clock.Add(time.Hour)
	drops, err := d.Archive.Drop(d.Context(), d.tick(), 10)
	d.ok(err)
	if drops.Removed != 1 {
		d.Fatalf("%d refs were dropped", drops.Removed)
	}
}

// events reads the journal of the merge from its current place.
func (d tightened) events() []journal.Event {
	d.Helper()
	events, err := local.Shelf().Read(d.Repo, d.pull.ID)
	d.ok(err)
	return events
}

// appends writes an event on top of the journal; a folded journal gets a new ref.
func (d tightened) appends(ev journal.Event) {
	d.Helper()
	if ev.At.IsZero() {
		ev.At = d.tick()
	}
	if ev.By == "" {
		ev.By = "bob"
	}
	_, err := local.Shelf().AppendWith(d.Repo, d.pull.ID, func([]journal.Event) (*journal.Event, journal.Moves, error) { return &ev, journal.Moves{}, nil })
	d.ok(err)
}

// tops puts a commit with any message on top of the journal.
func (d tightened) tops(message string, parents ...tree.Hash) {
	d.Helper()
	events := d.events()
	parents = append([]tree.Hash{events[len(events)-1].Commit}, parents...)
	d.put(local.PullPrefix+d.pull.ID, d.commitTree(gitstore.Person{Name: "bob", When: d.tick()}, message, d.treeOf(d.at), parents...))
}

// rewrites replaces the journal with the events that edit returns, and deletes its other refs.
func (d tightened) rewrites(edit func([]journal.Event) []journal.Event) {
	d.Helper()
	events := edit(slices.Clone(d.events()))
	d.drops()
	var history []journal.Event
	for _, ev := range events {
		stored, err := journal.Continue(d.Repo, history, ev)
		d.ok(err)
		history = append(history, stored)
	}
	d.ok(d.Repo.Sync())
	d.put(local.PullPrefix+d.pull.ID, history[len(history)-1].Commit)
}

// drops deletes every ref of the journal.
func (d tightened) drops() {
	d.Helper()
	refs, err := d.Repo.Refs("refs/assent/")
	d.ok(err)
	for _, ref := range refs {
		if ref.Name == local.PullPrefix+d.pull.ID || strings.HasPrefix(ref.Name, local.ClosedPrefix) {
			d.ok(d.Repo.Update(gitstore.RefUpdate{Name: ref.Name, Old: ref.Hash}))
		}
	}
}

func actorFile(name string) map[string][]byte {
	return map[string][]byte{"actor.json": []byte(`{"name":"` + name + `"}`)}
}

// outcome is the expected effect of damage.
type outcome int

const (
	stands  outcome = iota // the merge stays in force for every reader
	breaks                 // newcomers stop
	blocked                // a commit past the gate, like any other
)

// damage is an act of an attacker with write access after the merge.
type damage struct {
	name string
	do   func(tightened)
	want outcome
}

// appended are events of every kind and every author.
func appended() []damage {
	var out []damage
	add := func(name string, ev func(tightened) journal.Event) {
		out = append(out, damage{name, func(d tightened) { d.appends(ev(d)) }, stands})
	}
	head := func(d tightened) map[string]string { return map[string]string{"Head": d.pull.Head.String()} }
	for _, who := range []string{"ada", "bob", "kublai", "warden", ""} {
		add("a push by "+who, func(d tightened) journal.Event {
			return journal.Event{Kind: "pushed", Fields: head(d), Files: actorFile(who), Anchors: []tree.Hash{d.pull.Head}}
		})
		add("a push of another head by "+who, func(d tightened) journal.Event {
			return journal.Event{Kind: "pushed", Fields: map[string]string{"Head": d.at.String()}, Files: actorFile(who), Anchors: []tree.Hash{d.at}}
		})
		add("a push dated back by "+who, func(d tightened) journal.Event {
			return journal.Event{Kind: "pushed", At: d.pull.Opened, Fields: head(d), Files: actorFile(who)}
		})
	}
	add("a push from outside", func(d tightened) journal.Event {
		return journal.Event{Kind: "pushed", Fields: head(d), Files: map[string][]byte{"provenance.json": []byte(`{"v":1,"way":"import","source":"https://evil.example"}`)}}
	})
	add("a push of nothing", func(tightened) journal.Event {
		return journal.Event{Kind: "pushed", Fields: map[string]string{"Head": "none"}}
	})
	for _, decision := range []review.Decision{review.Revoke, review.Reject, review.RequestChanges, review.Approve} {
		add("a "+string(decision), func(d tightened) journal.Event {
			events := d.events()
			at := slices.IndexFunc(events, func(e journal.Event) bool { return e.Kind == "review" })
			rec, _, err := review.Verify(review.Signed{Record: events[at].Files["review.json"], Signature: events[at].Files["review.sig"]})
			d.ok(err)
			rec.Decision, rec.Reason = decision, "no"
			signed := d.signed("bob", rec)
			return journal.Event{Kind: "review", Fields: map[string]string{"Decision": string(decision), "Head": rec.Head.String(), "Effective": rec.Tree},
				Files: map[string][]byte{"review.json": signed.Record, "review.sig": signed.Signature}}
		})
	}
	for kind, files := range map[string]map[string][]byte{
		"review": {"review.json": []byte("{")}, "report": {"report.json": []byte("{}")}, "advice": {"advice.json": []byte(`{"verdict":"block"}`)},
		"tests": {"tests.json": []byte("{}")}, "comment": nil, "closed": nil, "reopened": nil, "opened": nil, "merged": nil, "merging": {"attestation.json": []byte("{}")},
		"later-kind": {"x": []byte("x")},
	} {
		add("an event "+kind, func(d tightened) journal.Event {
			return journal.Event{Kind: kind, Files: files, Fields: map[string]string{"Head": d.pull.Head.String(), "Base-Commit": d.before.String(),
				"Passed": "false", "Digest": "sha256:0", "Why": "withdrawn", "Commit": d.at.String(), "Branch": d.pull.Branch, "Base": "main"}}
		})
		add("an empty event "+kind, func(tightened) journal.Event { return journal.Event{Kind: kind} })
	}
	return out
}

// malformed are commits on top of the journal that are no events.
func malformed() []damage {
	var out []damage
	for name, message := range map[string]string{
		"no event":              "hello",
		"a later version":       "pushed: by bob\n\nAssent-Journal: 99\nAssent-Sequence: 99\nAssent-Event: pushed\nAssent-At: 2026-01-01T00:00:00Z\nAssent-By: bob",
		"a number too high":     "pushed: by bob\n\nAssent-Journal: 1\nAssent-Sequence: 99\nAssent-Event: pushed\nAssent-At: 2026-01-01T00:00:00Z\nAssent-By: bob",
		"number one":            "pushed: by bob\n\nAssent-Journal: 1\nAssent-Sequence: 1\nAssent-Event: pushed\nAssent-At: 2026-01-01T00:00:00Z\nAssent-By: bob",
		"a beginning":           "opened: by bob\n\nAssent-Journal: 1\nAssent-Sequence: 1\nAssent-Event: opened\nAssent-At: 2026-01-01T00:00:00Z\nAssent-By: bob\nBase: main",
		"no time":               "pushed: by bob\n\nAssent-Journal: 1\nAssent-Sequence: 99\nAssent-Event: pushed\nAssent-By: bob",
		"a bad escape":          "pushed: by bob\n\nAssent-Journal: 1\nAssent-Sequence: 99\nAssent-Event: pushed\nAssent-By: \\q",
		"a long text":           "pushed: " + strings.Repeat("x", 1<<20-1<<10),
		"a fold instead":        "Fold\n\nAssent-Fold: 1",
		"a merge instead":       "Merge\n\nAssent-Proposal: x-00000000",
		"the genesis once more": "Begin\n\nAssent-Genesis: 1",
	} {
		out = append(out, damage{"on top: " + name, func(d tightened) { d.tops(message) }, stands},
			damage{"three on top: " + name, func(d tightened) {
				events := d.events()
				head := events[len(events)-1].Commit
				for range 3 {
					head = d.commitTree(gitstore.Person{Name: "bob", When: d.tick()}, message, d.treeOf(d.at), head)
				}
				d.put(local.PullPrefix+d.pull.ID, head)
			}, stands})
	}
	return out
}

// rewritten are journals that no longer hold the record of the merge.
func rewritten() []damage {
	announced := func(events []journal.Event) int {
		return slices.IndexFunc(events, func(e journal.Event) bool { return e.Kind == "merging" })
	}
	return []damage{
		{"the journal deleted", func(d tightened) { d.drops() }, breaks},
		{"a push inserted before the announcement", func(d tightened) {
			d.rewrites(func(events []journal.Event) []journal.Event {
				return slices.Insert(events, announced(events), journal.Event{Kind: "pushed", At: d.tick(), By: "bob", Fields: map[string]string{"Head": d.pull.Head.String()}, Files: actorFile("bob")})
			})
		}, stands}, // a human who took part and signs lowers the required number by one

		{"the approvals left out", func(d tightened) {
			d.rewrites(func(events []journal.Event) []journal.Event {
				return slices.DeleteFunc(events, func(e journal.Event) bool { return e.Kind == "review" })
			})
		}, breaks},
		{"the announcement left out", func(d tightened) {
			d.rewrites(func(events []journal.Event) []journal.Event {
				return slices.DeleteFunc(events, func(e journal.Event) bool { return e.Kind == "merging" || e.Kind == "merged" })
			})
		}, breaks},
		{"the report left out", func(d tightened) {
			d.rewrites(func(events []journal.Event) []journal.Event {
				return slices.DeleteFunc(events, func(e journal.Event) bool { return e.Kind == "report" })
			})
		}, breaks},
		{"the attestation altered", func(d tightened) {
			d.rewrites(func(events []journal.Event) []journal.Event {
				events[announced(events)].Files["attestation.json"] = []byte("{}")
				return events
			})
		}, breaks},
		{"the first event alone", func(d tightened) {
			d.rewrites(func(events []journal.Event) []journal.Event { return events[:1] })
		}, breaks},
		{"a forged announcement before the true one", func(d tightened) {
			d.rewrites(func(events []journal.Event) []journal.Event {
				forged := events[announced(events)]
				forged.Files = map[string][]byte{"attestation.json": []byte(`{"v":1}`)}
				for range 20 {
					events = slices.Insert(events, announced(events), forged)
				}
				return events
			})
		}, stands},
	}
}

// junk are commits on main that an attacker presents as merges.
func junk() []damage {
	loose := func(d tightened) tree.Edit {
		return d.altered(strictPolicy, "  low: [{role: human, count: 1}]", "  low: []")
	}
	announce := func(d tightened, c tree.Hash, signer string, alter func(*attest.Attestation)) {
		commit, err := d.Repo.Commit(c)
		d.ok(err)
		att := attest.Attestation{V: attest.Version, Proposal: d.pull.ID, From: d.at, Base: commit.Parents[0], Head: d.pull.Head, Tree: commit.Tree,
			Verdict: policy.Verdict{Outcome: policy.Allowed}, Engine: version.Engine, At: d.tick()}
		if alter != nil {
			alter(&att)
		}
		data, err := att.Encode()
		d.ok(err)
		files := map[string][]byte{"attestation.json": data}
		if signer != "" {
			files["attestation.sig"], err = review.SignAttestation(data, d.who[signer])
			d.ok(err)
		}
		d.appends(journal.Event{Kind: "merging", Fields: map[string]string{"Commit": c.String()}, Files: files, Anchors: []tree.Hash{c}})
	}
	merge := func(d tightened, trailers string) tree.Hash {
		top, err := d.Repo.WriteTree(d.treeOf(d.at), []tree.Edit{loose(d)})
		d.ok(err)
		c := d.commitTree(gitstore.Person{Name: "m", Email: "m@example.org", When: d.tick()},
			"Merge\n\n"+attest.ProposalTrailer+": "+d.pull.ID+trailers, top, d.at, d.pull.Head)
		d.put(attest.MainRef, c)
		return c
	}
	by := func(d tightened, who string) string {
		return "\n" + attest.AttesterTrailer + ": " + string(d.who[who].Fingerprint())
	}
	return []damage{
		{"junk without a word", func(d tightened) { d.straight("Loosen", loose(d)) }, blocked},
		{"junk announced unsigned", func(d tightened) { announce(d, merge(d, ""), "", nil) }, blocked},
		{"junk announced by a key that nobody lists", func(d tightened) { announce(d, merge(d, by(d, "second")), "second", nil) }, blocked},
		{"junk announced by a listed agent", func(d tightened) { announce(d, merge(d, ""), "mongke", nil) }, breaks},
		{"junk with a copied announcement", func(d tightened) {
			events := d.events()
			at := slices.IndexFunc(events, func(e journal.Event) bool { return e.Kind == "merging" })
			c := merge(d, "")
			d.appends(journal.Event{Kind: "merging", Fields: map[string]string{"Commit": c.String()}, Files: events[at].Files, Anchors: []tree.Hash{c}})
		}, blocked},
		{"junk with the trailer of a listed key", func(d tightened) { merge(d, by(d, "ada")) }, breaks},
		{"junk with the trailer of a key that nobody lists", func(d tightened) { merge(d, by(d, "second")) }, blocked},
		{"junk attested afterwards by a listed agent", func(d tightened) {
			announce(d, merge(d, ""), "mongke", func(a *attest.Attestation) { a.Merged = a.At })
		}, breaks},
	}
}

// Later writes cannot void a merge in force. The policies in force never go back without a merge
// that passes: all readers agree, or a newcomer stops.
func TestAttackVoidedMerge(t *testing.T) {
	live := newTightened(t)
	folded := live.copied(t)
	folded.folded()
	n := 0
	for _, from := range []struct {
		name string
		tightened
	}{{"live", live}, {"folded", folded}} {
		for _, dmg := range slices.Concat(appended(), malformed(), rewritten(), junk()) {
			for _, back := range []string{"", ", and taken back"} {
				if back == "" && from.name == "folded" {
					continue
				}
				n++
				t.Run(from.name+": "+dmg.name+back, func(t *testing.T) {
					d := from.copied(t)
					dmg.do(d)
					if back != "" {
						d.takenBack()
					}
					d.readers(dmg.want)
				})
			}
		}
	}
	if n < 100 {
		t.Errorf("%d variants", n)
	}
}

// takenBack commits the inverse of the merge to main, or of the junk upon it.
func (d tightened) takenBack() {
	d.Helper()
	to := d.at
	if d.main() == d.at {
		m, err := d.Repo.Commit(d.at)
		d.ok(err)
		to = m.Parents[0]
	}
	d.put(attest.MainRef, d.commitTree(gitstore.Person{Name: "bob", Email: "bob@example.org", When: d.tick()}, "Revert it", d.treeOf(to), d.main()))
}

// readers reads as one who remembers, as a newcomer here, and as a newcomer in a bare hub.
func (d tightened) readers(want outcome) {
	d.Helper()
	remembering := d.reading("", false)
	if remembering == "" {
		d.succeeds("somebody who remembers the merge cannot read any more")
	}
	fresh, hub := d.reading(d.TempDir(), false), d.reading(d.TempDir(), true)
	if fresh != hub {
		d.succeeds("a clone reads %q, a hub %q", fresh, hub)
	}
	if fresh != "" && fresh != remembering {
		d.succeeds("policies went back: somebody new has %s in force, somebody who remembers %s", fresh, remembering)
	}
	if stopped := fresh == ""; stopped != (want == breaks) {
		d.succeeds("newcomers stop: %v, want %v", stopped, want == breaks)
	}
	if want == breaks {
		res, err := audit.Verify(d.Context(), d.Workspace, nil)
		d.ok(err)
		if res.Broken == nil {
			d.succeeds("the audit finds nothing")
		}
	}
}

// linked copies a repository whose objects are only read: they are linked.
func (d *world) linked(dir, from string) {
	d.Helper()
	d.ok(filepath.WalkDir(from, func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := dir + strings.TrimPrefix(file, from)
		if e.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		if strings.Contains(to, "/objects/") {
			return os.Link(file, to)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(to, data, 0o644)
	}))
}

// reading returns which strict policy is in force for a reader with this home, the
// present one if it is empty; "" if the reader stops at a break.
func (d tightened) reading(home string, bare bool) string {
	d.Helper()
	dir := d.dir
	if home != "" {
		d.Setenv("ASSENT_HOME", filepath.Join(home, "assent"))
		dir = filepath.Join(home, "clone")
		from := d.dir
		if bare {
			dir, from = filepath.Join(home, "hub.git"), filepath.Join(d.dir, ".git")
		}
		d.linked(dir, from)
		common := filepath.Join(dir, ".git")
		if bare {
			common = dir
		}
		d.ok(os.RemoveAll(filepath.Join(common, "assent")))
	}
	w, err := workspace.Open(dir, workspace.Surroundings{Now: d.tick})
	d.ok(err)
	cur, err := w.Session(d.Context())
	var stopped *attest.Broken
	if errors.As(err, &stopped) {
		if stopped.At.ToResolve == "" || stopped.At.Proposal != d.pull.ID {
			d.Errorf("a break without a way out, or of no proposal: %+v", stopped.At)
		}
		return ""
	}
	if err != nil {
		d.succeeds("a reader stops: %v", err)
		return ""
	}
	e, err := cur.View.Lookup(strictPolicy)
	d.ok(err)
	return fmt.Sprint(e.Hash)
}
