package attacks_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/stop"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/exporter"
	"github.com/assent-dev/assent/engine/tools/tool"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

func stopDefences() map[string]defence {
	const stops = "TestAttackStops/"
	return map[string]defence{
		"stops-are-signed":                {attack: stops + "a record that nobody signed", with: []string{"stops-are-by-humans"}},
		"stops-name-their-workspace":      {attack: stops + "a stop of another workspace"},
		"stops-are-by-humans":             {attack: stops + "an agent stops"},
		"a-malformed-stop-is-its-own":     {attack: stops + "a ref that is no stop hides the others", instead: "if err != nil { return nil, nil, err }"},
		"stops-are-not-renewed-for-ever":  {attack: stops + "one human renews for ever"},
		"deleted-stops-still-hold":        {attack: stops + "a deleted ref"},
		"stops-are-looked-up":             {attack: stops + "a process that began before"},
		"stopped-is-not-handed-out":       {attack: stops + "its files are asked for"},
		"stops-of-strangers-stay-outside": {attack: stops + "a stranger's record on the hub"},
	}
}

func (d *world) stopRecord(capability string) stop.Record {
	d.Helper()
	cur, err := d.Session(d.Context())
	d.ok(err)
	at := d.tick().UTC().Truncate(time.Second)
	return stop.Record{
		V: stop.Version, Workspace: cur.Genesis, Capability: capability, Decision: stop.Stop, Reason: "it lies",
		At: at, Until: at.Add(stop.Default), Lifts: []string{}, Nonce: "0123456789abcdef",
	}
}

func (d *world) signedStop(signer ssh.Signer, r stop.Record) stop.Signed {
	d.Helper()
	s, err := stop.Sign(r, signer)
	d.ok(err)
	return s
}

// stopRef writes a record as somebody with a shell can, whatever it holds.
func (d *world) stopRef(s stop.Signed) {
	d.Helper()
	top, err := d.Repo.WriteTree(tree.Hash{}, []tree.Edit{{Path: "stop.json", Content: s.Record}, {Path: "stop.sig", Content: s.Signature}})
	d.ok(err)
	d.put(workspace.StopPrefix+s.ID, d.commitTree(gitstore.Person{Name: "assent", When: d.tick()}, "x", top))
}

func (d *world) stopped(capability string) (stop.Judged, bool) {
	d.Helper()
	d.reopen()
	cur, err := d.Session(d.Context())
	d.ok(err)
	j, err := cur.Stops(d.Context())
	if err != nil {
		d.succeeds("nobody can read what is stopped: %v", err)
		d.FailNow()
	}
	_, held := j.Of(capability)
	return j, held
}

// stopsNobody asks that a record has no effect, and is named with the reason.
func (d *world) stopsNobody(why string) {
	d.Helper()
	j, held := d.stopped("bowline")
	if held {
		d.succeeds("bowline is stopped")
		return
	}
	if len(j.Ignored) != 1 {
		d.Fatalf("the record is not named: %+v", j)
	}
	d.because(j.Ignored[0].Why, why)
	d.unchanged()
}

// A stop takes away, by a human's signature and for a bounded time, and by nothing else.
func TestAttackStops(t *testing.T) {
	attack(t, "a record that nobody signed", func(d *world) {
		s := d.signedStop(d.who["ada"], d.stopRecord("bowline"))
		_, private, err := ed25519.GenerateKey(rand.Reader)
		d.ok(err)
		stranger, err := ssh.NewSignerFromKey(private)
		d.ok(err)
		s.Signature = d.signedStop(stranger, d.stopRecord("splice")).Signature
		d.stopRef(s)
		j, held := d.stopped("bowline")
		if held || len(j.Ignored) != 1 || !strings.Contains(j.Ignored[0].Why, "signature") {
			d.succeeds("it is not refused for its signature: %+v", j)
		}
	})
	attack(t, "a stop of another workspace", func(d *world) {
		r := d.stopRecord("bowline")
		r.Workspace = tree.Hash{1}
		d.stopRef(d.signedStop(d.who["ada"], r))
		d.stopsNobody("another workspace")
	})
	for name, who := range map[string]string{"an agent stops": "mongke", "a lead who is no human stops": "mallory", "a key that nobody lists stops": "second"} {
		attack(t, name, func(d *world) {
			d.stopRef(d.signedStop(d.who[who], d.stopRecord("bowline")))
			d.stopsNobody("belongs to no human")
		})
	}
	attack(t, "a stop of another capability is replayed", func(d *world) {
		s := d.signedStop(d.who["ada"], d.stopRecord("splice"))
		s.Record = []byte(strings.Replace(string(s.Record), "splice", "bowline", 1))
		s.ID = stop.IDOf(s.Record)
		d.stopRef(s)
		d.stopsNobody("signature")
	})
	attack(t, "a revoked key stops", func(d *world) {
		r := d.stopRecord("bowline")
		d.stopRef(d.signedStop(d.who["bob"], r))
		d.revoked("bob", "second", d.tick())
		d.stopsNobody("belongs to no human")
	})
	attack(t, "a ref that is no stop hides the others", func(d *world) {
		d.stopRef(d.signedStop(d.who["ada"], d.stopRecord("bowline")))
		d.put(workspace.StopPrefix+strings.Repeat("0", 40), d.main())
		d.put(workspace.StopPrefix+"zzz", d.commit("x", nil))
		j, held := d.stopped("bowline")
		if !held || len(j.Ignored) != 2 {
			d.succeeds("the honest stop is gone: %+v", j)
		}
	})
	attack(t, "one human renews for ever", func(d *world) {
		r := d.stopRecord("bowline")
		r.At, r.Until = r.At.Add(-14*24*time.Hour), r.At
		d.stopRef(d.signedStop(d.who["ada"], r))
		again := d.stopRecord("bowline")
		again.Nonce = "fedcba9876543210"
		d.stopRef(d.signedStop(d.who["ada"], again))
		if _, held := d.stopped("bowline"); held {
			d.succeeds("bowline is stopped for a 15th day without a proposal")
		}
	})
	attack(t, "a deleted ref", func(d *world) {
		s := d.signedStop(d.who["ada"], d.stopRecord("bowline"))
		d.stopRef(s)
		if _, held := d.stopped("bowline"); !held {
			d.Fatal("bowline is not stopped")
		}
		d.git("update-ref", "-d", workspace.StopPrefix+s.ID)
		if _, held := d.stopped("bowline"); !held {
			d.succeeds("deleting a ref lifts the stop")
		}
	})
	attack(t, "an agent lifts", func(d *world) {
		s := d.signedStop(d.who["ada"], d.stopRecord("bowline"))
		d.stopRef(s)
		r := d.stopRecord("bowline")
		r.Decision, r.Until, r.Lifts = stop.Lift, r.At, []string{s.ID}
		d.stopRef(d.signedStop(d.who["mongke"], r))
		if _, held := d.stopped("bowline"); !held {
			d.succeeds("an agent lifts a stop")
		}
	})
	attack(t, "a process that began before", func(d *world) {
		w := d.ward(append(brittle(""), through()...)...)
		e := w.process()
		cur, err := d.Session(d.Context())
		d.ok(err)
		e.Stopped = func(name string) (stop.Held, bool, error) {
			j, err := cur.Stops(d.Context())
			h, held := j.Of(name)
			return h, held, err
		}
		d.stopRef(d.signedStop(d.who["ada"], d.stopRecord("double")))
		for _, name := range []string{"double", "Double", "through"} {
			if res := w.call(e, name, "2"); res.Success || !strings.Contains(res.Error, "double is stopped by ada") || name != "through" && res.Type != tool.Stopped {
				d.succeeds("%s runs what is stopped: %+v", name, res)
			}
		}
	})
	attack(t, "its files are asked for", func(d *world) {
		folder := capability.Folder{Name: "bowline", Path: "skills/bowline"}
		d.stopRef(d.signedStop(d.who["ada"], d.stopRecord("bowline")))
		cur, err := d.Session(d.Context())
		d.ok(err)
		copies := map[string]func() (exporter.Copy, error){
			"as in force": func() (exporter.Copy, error) { return exporter.InForce(d.Context(), cur, folder) },
			"as it came":  func() (exporter.Copy, error) { return exporter.Original(d.Context(), cur, folder) },
		}
		for name, take := range copies {
			c, err := take()
			var halted *workspace.Halted
			if err == nil {
				d.succeeds("an export hands it out %s: %d files", name, len(c.Files))
			} else if !errors.As(err, &halted) {
				d.Fatal(err)
			}
		}
		// What scripts are given is listed.
		seen, err := cur.Handout(d.Context(), cur.View)
		d.ok(err)
		others := 0
		d.ok(tree.Files(seen, "", func(e tree.Entry) error {
			if strings.HasPrefix(e.Path, folder.Path+"/") {
				d.succeeds("a script is given %s", e.Path)
			} else if strings.HasPrefix(e.Path, "skills/") {
				others++
			}
			return nil
		}))
		if others == 0 {
			d.Error("nothing else is handed out")
		}
		// A repair is tried as it is proposed.
		p := d.proposed("kublai", skill("bowline", "\nThen pull.\n"))
		view, err := cur.See(p.Head)
		d.ok(err)
		repaired, err := cur.Handout(d.Context(), view)
		d.ok(err)
		if _, err := repaired.Read(folder.Path + "/SKILL.md"); err != nil {
			d.Errorf("its repair cannot be tried: %v", err)
		}
	})
	attack(t, "a stranger's record on the hub", func(d *world) {
		hub := d.TempDir()
		d.git("init", "-q", "--bare", "-b", "main", hub)
		d.git("remote", "add", "origin", hub)
		d.git("push", "-q", "origin", attest.MainRef, "refs/assent/*:refs/assent/*")
		s := d.signedStop(d.who["mongke"], d.stopRecord("bowline"))
		d.stopRef(s)
		d.git("push", "-q", "origin", workspace.StopPrefix+s.ID)
		d.git("update-ref", "-d", workspace.StopPrefix+s.ID)
		d.reopen()
		out, err := exchange.Pull(d.Context(), d.Workspace, "origin", false)
		d.ok(err)
		if _, err := d.Repo.Ref(workspace.StopPrefix + s.ID); err == nil || len(out.Stops) > 0 {
			d.succeeds("a pull takes in a record of a stranger")
		}
		if len(out.Problems) != 1 {
			d.Errorf("it is not named: %v", out.Problems)
		}
	})
}
