package attacks_test

import (
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
	const stops, forged, damaged = "TestAttackStops/", "TestAttackForgedStops/", "TestAttackDamagedStops/"
	return map[string]defence{
		"stops-are-signed":                {attack: forged + "stop without a signature, as a ref", with: []string{"stops-are-by-humans"}},
		"stops-name-their-workspace":      {attack: forged + "stop that ada signed for another workspace, as a ref"},
		"stops-are-by-humans":             {attack: forged + "lift signed by mongke, as a ref"},
		"a-malformed-stop-is-its-own":     {attack: damaged + "moved to main here", instead: "if err != nil { return nil, nil, err }"},
		"deleted-stops-still-hold":        {attack: damaged + "deleted here"},
		"stops-are-not-renewed-for-ever":  {attack: stops + "one human renews for ever"},
		"stops-are-looked-up":             {attack: stops + "a process that began before"},
		"stopped-is-not-handed-out":       {attack: stops + "its files are asked for"},
		"stops-of-strangers-stay-outside": {attack: stops + "a stranger's record on the hub"},
		"names-of-stops-come-first":       {attack: "TestAttackGrowthOfStops/one commit"},
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

// stopRef writes a record with plain git, for any content.
func (d *world) stopRef(s stop.Signed) {
	d.Helper()
	d.put(workspace.StopPrefix+s.ID, d.stopCommit(s))
}

func (d *world) stopCommit(s stop.Signed, parents ...tree.Hash) tree.Hash {
	d.Helper()
	top, err := d.Repo.WriteTree(tree.Hash{}, []tree.Edit{{Path: "stop.json", Content: s.Record}, {Path: "stop.sig", Content: s.Signature}})
	d.ok(err)
	return d.commitTree(gitstore.Person{Name: "assent", When: d.tick()}, "x", top, parents...)
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

// A stop removes a capability, by a human's signature and for a limited time, and by nothing else.
func TestAttackStops(t *testing.T) {
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
		// List the files that scripts get.
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
		// A proposed repair of a stopped capability can be tried.
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
