package attacks_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/reconcile"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/proposals/render"
)

const (
	// hostile is text that an attacker wants a terminal, a page or a CI job to obey.
	hostile = "\x1b]0;owned\x07\x1b[2J\u202e\u200b\r::error::x\n::set-output name=x::y\n<img src=x onerror=alert(1)>[x](javascript:alert(1)) @everyone ${{ github.token }} `x`"
	// trailers would make a merge commit claim acts that did not happen.
	trailers = "tie a knot\n\nAssent-Approved-By: bob\nAssent-Risk: low"
)

// A branch, a title or an id has no meaning beyond its letters.
func TestAttackRefs(t *testing.T) {
	for _, name := range []string{
		"inbox/kublai/$(touch${IFS}x)", "inbox/kublai/${{github.token}}", "inbox/kublai/`id`", "inbox/kublai/a;b|c&d", "inbox/kublai/-rf", "inbox/kublai/x\u202ey",
		"inbox/kublai/" + strings.Repeat("n", 180), "inbox/ku'blai/\"x\"",
	} {
		attack(t, strings.ReplaceAll(name, "/", ":"), func(d *world) {
			d.put("refs/heads/"+name, d.commit("Tie a knot", []tree.Hash{d.main()}, skill("clove-hitch")))
			done, err := reconcile.Run(d.Context(), d.Workspace, reconcile.Options{})
			d.ok(err)
			for _, r := range done.Results {
				if r.Proposal != "" && (!forge.IsID(r.Proposal) || !names.IsRef("refs/heads/proposal/"+r.Proposal)) {
					d.succeeds("a proposal is called %q", r.Proposal)
				}
			}
			if bad, ok := obeyed(d.says("reconcile") + d.says("status")); ok {
				d.succeeds("%U reaches the terminal", bad)
			}
			d.unchanged()
		})
	}
	attack(t, "a journal that claims main as its branch", func(d *world) {
		id := "evil-00000000"
		d.record(id, journal.Event{Kind: "opened", Fields: map[string]string{"Title": "x", "Branch": "main", "Base": "main", "Head": d.main().String()}})
		if p, err := d.Forge.Get(d.Context(), id); err == nil {
			d.succeeds("the branch of %s is %s", p.ID, p.Branch)
		} else {
			d.because(err.Error(), "is not what a proposal has")
		}
		d.unchanged()
	})
	attack(t, "a journal under another's name", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		h, err := d.Repo.Ref(local.PullPrefix + p.ID)
		d.ok(err)
		d.put(local.PullPrefix+"other-00000000", h)
		if _, err := d.Forge.Get(d.Context(), "other-00000000"); err == nil {
			d.succeeds("a journal answers for another proposal")
		} else {
			d.because(err.Error(), "is not what a proposal has")
		}
	})
	attack(t, "an id that is a path", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		_, ex := d.examined(p.ID)
		h := d.commit("Merge it\n\nAssent-Proposal: ../../heads/main", []tree.Hash{d.main(), p.Head})
		c, err := d.Repo.Commit(h)
		d.ok(err)
		d.put("refs/heads/main", d.commitTree(c.Author, c.Message, ex.Result.Tree, c.Parents...))
		d.because(d.blocked(), "is not the id of a proposal")
	})
}

// Text is displayed and never interpreted.
func TestAttackInjection(t *testing.T) {
	said := func(d *world, id string) {
		d.Helper()
		for _, args := range [][]string{{"show", id}, {"why", id}, {"status"}, {"review", id}, {"diff", id}, {"log"}, {"list"}, {"audit", "verify"}, {"doctor"}} {
			if bad, ok := obeyed(d.says(args...)); ok {
				d.succeeds("assent %s sends %U", args[0], bad)
			}
		}
	}
	attack(t, "trailers in a goal", func(d *world) {
		r := d.request("kublai", skill("clove-hitch"))
		r.Proposal.Goal = trailers
		p := d.asked(r).Pull
		d.approved(p.ID, "ada")
		out := d.merge(p.ID)
		if !out.Merged {
			d.Fatal(out.Refused)
		}
		d.begin()
		if by := d.git("log", "-1", "--format=%(trailers:key=Assent-Approved-By,valueonly)", out.Commit.String()); strings.TrimSpace(by) != "ada" {
			d.succeeds("the merge says that it was approved by %q", by)
		}
		if text := d.git("log", "-1", "--format=%B", out.Commit.String()); strings.Contains(text, "\nAssent-Approved-By: bob") {
			d.succeeds("a line of the merge is the proposer's:\n%s", text)
		}
	})
	attack(t, "a goal", func(d *world) {
		r := d.request("kublai", skill("clove-hitch"))
		r.Proposal.Goal = hostile
		out := d.asked(r)
		if out.Opened {
			said(d, out.Pull.ID)
		}
	})
	attack(t, "a remark, a reason and a name in a journal", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		d.record(p.ID, journal.Event{Kind: "comment", By: "x \x1b[31m", Note: hostile, Files: map[string][]byte{"actor.json": []byte(`{"name":"` + "\\u001b[2J\\u202e" + `"}`)}})
		d.record(p.ID, journal.Event{Kind: "review", By: "ada", Note: hostile, Fields: map[string]string{"Decision": "reject\x1b[31m", "Head": p.Head.String(), "Effective": "x"}})
		said(d, p.ID)
	})
	attack(t, "the author of a commit", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		top := d.grafted(d.treeOf(d.main()).String(), []string{"skills", "bowline", "x\x1b[31m"}, "100644", d.object("blob", []byte("x\n")))
		h, err := tree.ParseHash(d.object("commit", []byte("tree "+top+"\nparent "+d.main().String()+"\nauthor \x1b[2J <\u202e> 1790000000 +0000\ncommitter \x1b[2J <x> 1790000000 +0000\n\n\x1b]0;owned\x07 x\n")))
		d.ok(err)
		d.put("refs/heads/main", h)
		d.reopen()
		said(d, p.ID)
	})
	attack(t, "a file name in a report", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		d.ok(d.smuggled(p, []string{"skills", "clove-hitch", "x\n::error::y\x1b[2J\u202e|<b>`.md"}, "100644", d.object("blob", []byte("x\n"))))
		_, ex := d.examined(p.ID)
		for _, format := range render.Formats() {
			data, err := render.Report(format, ex.Report)
			d.ok(err)
			// JSON is for programs, and gives paths as they are; a terminal has the stream's filter.
			if bad, ok := obeyed(string(data)); ok && (format != "json" || unicode.IsControl(bad)) {
				d.succeeds("%s sends %U", format, bad)
			}
			if strings.Contains(string(data), "\n::error::y") {
				d.succeeds("%s holds a command of its own", format)
			}
			if (format == "json" || format == "sarif") && !json.Valid(data) {
				d.succeeds("%s is no JSON", format)
			}
		}
		said(d, p.ID)
	})
	attack(t, "a description", func(d *world) {
		out := d.asked(d.request("kublai", file("skills/clove-hitch/SKILL.md",
			"---\nname: clove-hitch\ndescription: \"Ties. \\e[2J \\u202e @everyone <script> Use when tying.\"\n---\n\n# x\n\nTie.\n")))
		if out.Opened {
			said(d, out.Pull.ID)
			d.holds(out.Pull.ID)
		}
	})
}
