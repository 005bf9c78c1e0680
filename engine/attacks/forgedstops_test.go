package attacks_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/stop"
	"github.com/assent-dev/assent/engine/workspace"
)

// halted is a world in which ada stopped splice and the key of bob was revoked: he signs with
// "second" now. Every variant checks that splice stays stopped and bowline does not stop.
type halted struct {
	*world
	honest   stop.Signed
	stranger ssh.Signer
}

func newHalted(t *testing.T) halted {
	t.Helper()
	d := newWorld(t)
	d.revoked("bob", "second", d.tick())
	honest := d.signedStop(d.who["ada"], d.stopRecord("splice"))
	d.stopRef(honest)
	if _, held := d.stopped("splice"); !held {
		d.Fatal("splice is not stopped")
	}
	_, private, err := ed25519.GenerateKey(rand.Reader)
	d.ok(err)
	stranger, err := ssh.NewSignerFromKey(private)
	d.ok(err)
	return halted{d, honest, stranger}
}

func (d halted) clone(t *testing.T) halted {
	return halted{d.world.clone(t), d.honest, d.stranger}
}

func (d halted) lift() stop.Record {
	r := d.stopRecord("splice")
	r.Decision, r.Until, r.Lifts = stop.Lift, r.At, []string{d.honest.ID}
	return r
}

// raw signs bytes that the program would not sign.
func (d halted) raw(text []byte) stop.Signed {
	sig, err := review.SignStop(text, d.who["ada"])
	d.ok(err)
	return stop.Signed{ID: stop.IDOf(text), Record: text, Signature: sig}
}

// forgedStops return records that must neither stop bowline nor lift the stop of splice.
func forgedStops() map[string]func(halted) stop.Signed {
	all := map[string]func(halted) stop.Signed{}
	records := map[string]func(halted) stop.Record{
		"stop": func(d halted) stop.Record { return d.stopRecord("bowline") },
		"lift": halted.lift,
	}
	for kind, record := range records {
		for _, who := range []string{"mongke", "mallory", "warden", "bob"} {
			all[kind+" signed by "+who] = func(d halted) stop.Signed { return d.signedStop(d.who[who], record(d)) }
		}
		all[kind+" signed by a stranger"] = func(d halted) stop.Signed { return d.signedStop(d.stranger, record(d)) }
		signature := func(name string, sign func(d halted, record []byte) ([]byte, error)) {
			all[kind+" "+name] = func(d halted) stop.Signed {
				s := d.signedStop(d.who["ada"], record(d))
				var err error
				s.Signature, err = sign(d, s.Record)
				d.ok(err)
				return s
			}
		}
		signature("without a signature", func(halted, []byte) ([]byte, error) { return nil, nil })
		signature("with a broken signature", func(halted, []byte) ([]byte, error) { return []byte("-----BEGIN SSH SIGNATURE-----\n"), nil })
		signature("signed as a checkpoint", func(d halted, r []byte) ([]byte, error) { return review.SignCheckpoint(r, d.who["ada"]) })
		signature("signed as an attestation", func(d halted, r []byte) ([]byte, error) { return review.SignAttestation(r, d.who["ada"]) })
		signature("with the signature of the honest stop", func(d halted, _ []byte) ([]byte, error) { return d.honest.Signature, nil })
		for name, alter := range alteredStops() {
			all[kind+" altered: "+name] = func(d halted) stop.Signed {
				r := record(d)
				s := d.signedStop(d.who["ada"], alter(d, r))
				data, err := r.Encode()
				d.ok(err)
				return stop.Signed{ID: stop.IDOf(data), Record: data, Signature: s.Signature}
			}
		}
		for name, old := range map[string][2]string{
			"of another version": {`"v":1`, `"v":2`}, "with blanks": {`,"workspace"`, `, "workspace"`}, "with a field more": {`"v":1`, `"v":1,"x":1`},
			"with a field twice": {`"v":1`, `"v":1,"v":1`}, "with another decision": {`"decision":"` + kind + `"`, `"decision":"start"`},
		} {
			all[kind+" that ada signed "+name] = func(d halted) stop.Signed {
				data, err := record(d).Encode()
				d.ok(err)
				forged := strings.Replace(string(data), old[0], old[1], 1)
				if forged == string(data) {
					d.Fatalf("%s: nothing is altered: %s", name, data)
				}
				return d.raw([]byte(forged))
			}
		}
		all[kind+" that ada signed for another workspace"] = func(d halted) stop.Signed {
			r := record(d)
			r.Workspace = tree.Hash{1}
			return d.signedStop(d.who["ada"], r)
		}
		all[kind+" that ada signed for tomorrow"] = func(d halted) stop.Signed {
			r := record(d)
			r.At, r.Until = r.At.Add(24*time.Hour), r.Until.Add(24*time.Hour)
			return d.signedStop(d.who["ada"], r)
		}
	}
	all["stop that ada signed a month ago"] = func(d halted) stop.Signed {
		r := d.stopRecord("bowline")
		r.At, r.Until = r.At.Add(-30*24*time.Hour), r.Until.Add(-30*24*time.Hour)
		return d.signedStop(d.who["ada"], r)
	}
	all["stop that ada signed for a year"] = func(d halted) stop.Signed {
		r := d.stopRecord("bowline")
		data, err := r.Encode()
		d.ok(err)
		until, year := r.Until.Format(time.RFC3339), r.At.AddDate(1, 0, 0).Format(time.RFC3339)
		return d.raw([]byte(strings.Replace(string(data), until, year, 1)))
	}
	all["lift of another stop"] = func(d halted) stop.Signed {
		r := d.lift()
		r.Lifts = []string{strings.Repeat("a", 40)}
		return d.signedStop(d.who["ada"], r)
	}
	all["lift of another capability"] = func(d halted) stop.Signed {
		r := d.lift()
		r.Capability = "bowline"
		return d.signedStop(d.who["ada"], r)
	}
	return all
}

// alteredStops return the record that ada signed instead of the record that is shown.
func alteredStops() map[string]func(halted, stop.Record) stop.Record {
	return map[string]func(halted, stop.Record) stop.Record{
		"capability": func(_ halted, r stop.Record) stop.Record { r.Capability = "reef-knot"; return r },
		"workspace":  func(_ halted, r stop.Record) stop.Record { r.Workspace = tree.Hash{1}; return r },
		"reason":     func(_ halted, r stop.Record) stop.Record { r.Reason = "nothing"; return r },
		"nonce":      func(_ halted, r stop.Record) stop.Record { r.Nonce = "fedcba9876543210"; return r },
		"time": func(_ halted, r stop.Record) stop.Record {
			r.At, r.Until = r.At.Add(-time.Hour), r.Until.Add(-time.Hour)
			return r
		},
	}
}

// stopPlaces put records where a reader finds them.
func stopPlaces() map[string]func(halted, ...stop.Signed) {
	refs := func(d halted, all ...stop.Signed) {
		for _, s := range all {
			d.stopRef(s)
		}
	}
	return map[string]func(halted, ...stop.Signed){
		"as a ref": refs,
		"over the honest stop": func(d halted, all ...stop.Signed) {
			d.put(workspace.StopPrefix+d.honest.ID, d.stopCommit(all[0]))
		},
		"packed": func(d halted, all ...stop.Signed) {
			refs(d, all...)
			d.git("pack-refs", "--all", "--prune")
		},
		"in place of the honest stop, which is gone": func(d halted, all ...stop.Signed) {
			d.git("update-ref", "-d", workspace.StopPrefix+d.honest.ID)
			refs(d, all...)
		},
		"upon the honest stop": func(d halted, all ...stop.Signed) {
			for _, s := range all {
				d.put(workspace.StopPrefix+s.ID, d.stopCommit(s, d.ref(workspace.StopPrefix+d.honest.ID)))
			}
		},
		"on the hub": func(d halted, all ...stop.Signed) {
			refs(halted{d.copied(), d.honest, d.stranger}, all...)
			_, err := exchange.Pull(d.Context(), d.Workspace, "origin", false)
			d.ok(err)
		},
	}
}

// A record of a stop has an effect only if it is whole, in time, of this workspace and signed by a
// human, at any place and upon any other record.
func TestAttackForgedStops(t *testing.T) {
	base, n := newHalted(t), 0
	forgeries := forgedStops()
	for place, put := range stopPlaces() {
		n += len(forgeries)
		if place == "as a ref" || place == "over the honest stop" {
			for forgery, forge := range forgeries {
				t.Run(forgery+", "+place, func(t *testing.T) {
					d := base.clone(t)
					put(d, forge(d))
					d.still()
				})
			}
			continue
		}
		t.Run("all of them, "+place, func(t *testing.T) {
			d := base.clone(t)
			var all []stop.Signed
			for _, forge := range forgeries {
				all = append(all, forge(d))
			}
			put(d, all...)
			d.still()
		})
	}
	if n < 100 {
		t.Errorf("%d variants", n)
	}
}

// still checks that splice is stopped and bowline is not.
func (d halted) still() {
	d.Helper()
	j, held := d.stopped("splice")
	if !held {
		d.succeeds("the stop of splice has no effect any more: %+v", j)
	}
	if _, held := j.Of("bowline"); held {
		d.succeeds("bowline is stopped")
	}
}

// The ref of an honest stop is damaged in each way that a ref can be. Readers who saw the stop
// keep it. The next exchange restores it, here and on the hub, unless git itself cannot replace
// such a ref.
func TestAttackDamagedStops(t *testing.T) {
	byHand := map[string]bool{"moved to nothing": true, "empty": true, "symbolic": true, "a folder": true}
	base := newHalted(t)
	for name, damage := range map[string]func(d halted, ref string){
		"deleted":          func(d halted, ref string) { d.git("update-ref", "-d", ref) },
		"packed, deleted":  func(d halted, ref string) { d.git("pack-refs", "--all"); d.git("update-ref", "-d", ref) },
		"moved to main":    func(d halted, ref string) { d.put(ref, d.main()) },
		"moved to a tree":  func(d halted, ref string) { d.put(ref, d.treeOf(d.main())) },
		"moved to nothing": func(d halted, ref string) { d.rawRef(filepath.Join(d.dir, ".git"), ref, strings.Repeat("1", 40)+"\n") },
		"empty":            func(d halted, ref string) { d.rawRef(filepath.Join(d.dir, ".git"), ref, "") },
		"symbolic":         func(d halted, ref string) { d.git("symbolic-ref", ref, "refs/heads/nothing") },
		"a folder": func(d halted, ref string) {
			d.git("update-ref", "-d", ref)
			d.put(ref+"/x", d.main())
		},
		"signed again by a stranger": func(d halted, ref string) {
			sig, err := review.SignStop(d.honest.Record, d.stranger)
			d.ok(err)
			d.put(ref, d.stopCommit(stop.Signed{ID: d.honest.ID, Record: d.honest.Record, Signature: sig}))
		},
		"without its signature": func(d halted, ref string) {
			d.put(ref, d.stopCommit(stop.Signed{ID: d.honest.ID, Record: d.honest.Record}))
		},
		"with another record": func(d halted, ref string) {
			d.put(ref, d.stopCommit(stop.Signed{ID: d.honest.ID, Record: []byte("{}\n"), Signature: d.honest.Signature}))
		},
	} {
		ref := workspace.StopPrefix + base.honest.ID
		t.Run(name+" here", func(t *testing.T) {
			d := base.clone(t)
			d.copied()
			damage(d, ref)
			d.still()
			out, err := exchange.Pull(d.Context(), d.Workspace, "origin", false)
			if byHand[name] {
				d.still()
				return
			}
			d.ok(err)
			if _, err := d.StopRecords().At(d.honest.ID, d.ref(ref)); err != nil {
				d.succeeds("it is not restored: %v, %v", err, out.Problems)
			}
		})
		t.Run(name+" on the hub", func(t *testing.T) {
			d := base.clone(t)
			hub := halted{d.copied(), d.honest, d.stranger}
			damage(hub, ref)
			_, err := exchange.Pull(d.Context(), d.Workspace, "origin", false)
			d.ok(err)
			d.still()
			if byHand[name] {
				return
			}
			d.says("doctor", "--fix", "--remote=origin")
			d.says("push")
			hub.Setenv("ASSENT_HOME", hub.TempDir())
			hub.still()
		})
	}
}
