package reconcile

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/proposals/followup"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/workspace"
)

// flows are those of a new workspace, and one that chains steps.
const (
	inboxFlow    = "name: inbox\non: {schedule: \"*/15 * * * *\", command: reconcile}\njobs: {collect: {uses: inbox}}\n"
	mergeFlow    = "name: merge\non: {proposal.approved: true}\njobs: {merge: {uses: merge}}\n"
	validateFlow = "name: validate\non: {proposal.opened: true, proposal.updated: true}\njobs: {report: {uses: validate}}\n"
	chainFlow    = "name: chain\non: {proposal.approved: true, proposal.merged: true}\njobs:\n  check: {uses: validate}\n  go: {uses: merge, needs: check}\n"
	healthFlow   = "name: well\non: {schedule: \"0 3 * * *\", proposal.merged: true}\njobs: {check: {uses: health}}\n"
	nightFlow    = "name: night\non: {schedule: \"0 3 * * *\"}\njobs: {collect: {uses: inbox}}\n"
)

func flows(t interface{ Fatal(...any) }, sources ...string) []workflow.Workflow {
	files := map[string]string{}
	for i, s := range sources {
		files["workflows/"+string(rune('a'+i))+".yaml"] = s
	}
	ws, diags, err := workflow.Load(tree.MapOf(files), workspace.Schedule)
	if err != nil || len(diags) > 0 {
		t.Fatal(diags, err)
	}
	return ws
}

func hash(b byte) tree.Hash { return tree.Hash{b} }

func skillAt(path string) index.Entry { return index.Entry{Folder: capability.FolderOf(path)} }

func TestDecide(t *testing.T) {
	noon := time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)
	branch := Branch{Name: "inbox/scout/x", Commit: hash(1)}
	fresh := Pull{ID: "a-00000000", Head: hash(2), Opened: true}
	behind := Pull{ID: "b-00000000", Head: hash(3)}
	approved := Pull{ID: "c-00000000", Head: hash(4), Reported: true, Approved: true}
	unreported := Pull{ID: "d-00000000", Head: hash(5), Approved: true}
	old := Pull{ID: "e-00000000", Head: hash(6), Reported: true, Approved: true, Expired: true}
	all := flows(t, inboxFlow, mergeFlow, validateFlow)
	question := followup.Question{Skill: skillAt("skills/x")}
	for name, c := range map[string]struct {
		o    Observation
		want []Action
	}{
		"nothing there":         {Observation{Workflows: all}, nil},
		"no workflows":          {Observation{Inbox: []Branch{branch}, Pulls: []Pull{fresh, behind, approved}}, nil},
		"inbox on each command": {Observation{Workflows: all, Inbox: []Branch{branch}}, []Action{{DoInbox, branch.Name, branch.Commit, "inbox", nil, nil}}},
		"opened and updated": {Observation{Workflows: all, Pulls: []Pull{fresh, behind}}, []Action{
			{DoValidate, fresh.ID, fresh.Head, "validate", nil, nil}, {DoValidate, behind.ID, behind.Head, "validate", nil, nil}}},
		"approved":             {Observation{Workflows: all, Pulls: []Pull{approved}}, []Action{{DoMerge, approved.ID, approved.Head, "merge", nil, nil}}},
		"one action a subject": {Observation{Workflows: all, Pulls: []Pull{unreported}}, []Action{{DoValidate, unreported.ID, unreported.Head, "validate", nil, nil}}},
		"expiry needs no workflow, and comes first": {Observation{Pulls: []Pull{old}}, []Action{{DoExpire, old.ID, old.Head, "", nil, nil}}},
		"what a repair leaves to be asked needs no workflow": {Observation{Questions: []followup.Question{question}},
			[]Action{{DoAsk, "skills/x", tree.BlobHash([]byte(question.ID())), "", nil, &question}}},
		"conflicted ones cannot be validated": {Observation{Workflows: all, Pulls: []Pull{{ID: "f-00000000", Conflicted: true}}}, nil},
		"a schedule that fired": {Observation{Workflows: flows(t, nightFlow), Inbox: []Branch{branch}, Last: noon.Add(-12 * time.Hour), Now: noon},
			[]Action{{DoInbox, branch.Name, branch.Commit, "night", nil, nil}}},
		"health on a schedule": {Observation{Workflows: flows(t, healthFlow), Last: noon.Add(-12 * time.Hour), Now: noon, Merged: true, Main: hash(9)},
			[]Action{{DoHealth, healthSubject, tree.Hash{}, "well", nil, nil}}},
		"health once in a pass, also if main moves in it": {Observation{Workflows: flows(t, healthFlow), Last: noon.Add(-12 * time.Hour), Now: noon, Merged: true, Main: hash(9),
			Tried: map[Key]bool{{Do: DoHealth, Subject: healthSubject}: true}}, nil},
		"tests wait where nobody knows what fired": {Observation{Workflows: flows(t, healthFlow, nightFlow), Inbox: []Branch{branch}, Now: noon},
			[]Action{{DoInbox, branch.Name, branch.Commit, "night", nil, nil}}},
		"tests in a clone of its own, when they fired": {Observation{Workflows: flows(t, healthFlow), Since: noon.Add(-12 * time.Hour), Now: noon},
			[]Action{{DoHealth, healthSubject, tree.Hash{}, "well", nil, nil}}},
		"tests in a clone of its own, at another time": {Observation{Workflows: flows(t, healthFlow), Since: noon.Add(-time.Hour), Now: noon}, nil},
		"what this clone remembers counts":             {Observation{Workflows: flows(t, healthFlow), Last: noon.Add(-time.Hour), Since: noon.Add(-12 * time.Hour), Now: noon}, nil},
		"a schedule that did not":                      {Observation{Workflows: flows(t, nightFlow), Inbox: []Branch{branch}, Last: noon.Add(-time.Hour), Now: noon}, nil},
		"the first pass":                               {Observation{Workflows: flows(t, nightFlow), Inbox: []Branch{branch}, Now: noon}, []Action{{DoInbox, branch.Name, branch.Commit, "night", nil, nil}}},
		"chained steps, one at a time": {Observation{Workflows: flows(t, chainFlow), Pulls: []Pull{unreported}},
			[]Action{{DoValidate, unreported.ID, unreported.Head, "chain", nil, nil}}},
		"a failed step stops what needs it": {Observation{Workflows: flows(t, chainFlow), Pulls: []Pull{unreported},
			Tried: map[Key]bool{{Do: DoValidate, Subject: unreported.ID, Content: unreported.Head}: false}}, nil},
		"a merge elsewhere concerns all": {Observation{Workflows: flows(t, chainFlow), Merged: true, Pulls: []Pull{behind, approved}}, []Action{
			{DoValidate, behind.ID, behind.Head, "chain", nil, nil}, {DoMerge, approved.ID, approved.Head, "chain", nil, nil}}},
		"what was tried is not tried again": {Observation{Workflows: all, Main: hash(9), Pulls: []Pull{approved},
			Tried: map[Key]bool{{DoMerge, approved.ID, approved.Head, hash(9)}: false}}, nil},
		"on another main it is": {Observation{Workflows: all, Main: hash(8), Pulls: []Pull{approved},
			Tried: map[Key]bool{{DoMerge, approved.ID, approved.Head, hash(9)}: false}}, []Action{{DoMerge, approved.ID, approved.Head, "merge", nil, nil}}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Decide(c.o, cronNext)); diff != "" {
				t.Errorf("-want +have:\n%s", diff)
			}
		})
	}
}

// For every observation: deciding is deterministic, no subject has two actions, and once
// every action was tried, none is left.
func TestDecideConverges(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		o := Observation{
			Now: time.Unix(rapid.Int64Range(1, 4e9).Draw(rt, "now"), 0), Merged: rapid.Bool().Draw(rt, "merged"), Main: hash(9),
			Workflows: flows(rt, rapid.SliceOfDistinct(rapid.SampledFrom([]string{inboxFlow, mergeFlow, validateFlow, chainFlow, nightFlow}),
				func(s string) string { return s }).Draw(rt, "flows")...),
			Tried: map[Key]bool{},
		}
		if rapid.Bool().Draw(rt, "again") {
			o.Last = time.Unix(rapid.Int64Range(1, 4e9).Draw(rt, "last"), 0)
		}
		for i := range rapid.IntRange(0, 5).Draw(rt, "pulls") {
			p := rapid.Make[Pull]().Draw(rt, "pull")
			p.ID, p.Head = string(rune('a'+i))+"-00000000", hash(byte(i))
			o.Pulls = append(o.Pulls, p)
		}
		for i := range rapid.IntRange(0, 3).Draw(rt, "branches") {
			o.Inbox = append(o.Inbox, Branch{Name: "inbox/" + string(rune('a'+i)), Commit: hash(byte(i))})
		}
		for i := range rapid.IntRange(0, 3).Draw(rt, "questions") {
			o.Questions = append(o.Questions, followup.Question{Skill: skillAt("skills/" + string(rune('a'+i)))})
		}
		for round := 0; ; round++ {
			actions := Decide(o, cronNext)
			if diff := cmp.Diff(actions, Decide(o, cronNext)); diff != "" {
				rt.Fatal(diff)
			}
			if len(actions) == 0 {
				return
			}
			if round > 4 {
				rt.Fatalf("still %v", actions)
			}
			busy := map[string]bool{}
			for _, a := range actions {
				if busy[a.Subject] {
					rt.Fatalf("two actions on %s: %v", a.Subject, actions)
				}
				busy[a.Subject] = true
				o.Tried[o.key(a)] = rapid.Bool().Draw(rt, "ok")
			}
		}
	})
}

// A merge made by the service is attested, once for each commit in force, and the proposal
// gets no other action.
func TestDecideMergedThere(t *testing.T) {
	made := Pull{ID: "a-00000000", Head: hash(1), There: hash(2), Approved: true, Expired: true, Opened: true}
	o := Observation{Main: hash(3), InForce: hash(4), Pulls: []Pull{made}, Workflows: flows(t, inboxFlow, mergeFlow, validateFlow), Tried: map[Key]bool{}}
	actions := Decide(o, cronNext)
	if len(actions) != 1 || actions[0].Do != DoAttest || actions[0].Content != made.There {
		t.Fatalf("%+v", actions)
	}
	o.Tried[o.key(actions[0])] = false
	if again := Decide(o, cronNext); len(again) != 0 {
		t.Errorf("tried again: %+v", again)
	}
	o.InForce = hash(5)
	if again := Decide(o, cronNext); len(again) != 1 {
		t.Errorf("not tried again when something else is in force: %+v", again)
	}
}
