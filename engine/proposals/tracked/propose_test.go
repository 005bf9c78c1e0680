package tracked

import (
	"testing"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/capability"
)

func TestSettle(t *testing.T) {
	item := newItem(capability.FolderOf("skills/knot"))
	item.Proposal, item.Open = "update-knot-aaaaaaaa", []string{"update-knot-aaaaaaaa", "other"}
	pull := func(s forge.State, why string) *forge.Pull {
		return &forge.Pull{ID: item.Proposal, State: s, Why: why}
	}
	for _, tc := range []struct {
		name      string
		earlier   *forge.Pull
		unsettled bool
		state     string
		done      bool
		open      int
	}{
		{"new", nil, false, Known, false, 2},
		{"new, in conflict", nil, true, Conflict, true, 2},
		{"open", pull(forge.Open, ""), false, "open", true, 1},
		{"open, in conflict", pull(forge.Open, ""), true, Conflict, true, 2},
		{"merged, in conflict", pull(forge.Merged, ""), true, "merged", true, 1},
		{"rejected, in conflict", pull(forge.Closed, "rejected"), true, "rejected", true, 1},
		{"withdrawn, in conflict", pull(forge.Closed, "withdrawn"), true, Conflict, true, 2},
		{"expired", pull(forge.Closed, "expired"), false, "expired", true, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, done := settle(item, tc.earlier, tc.unsettled)
			if got.State != tc.state || done != tc.done || len(got.Open) != tc.open || (got.Proposal == "") != (tc.state == Conflict) || done && got.Reason == "" {
				t.Errorf("%t, %+v", done, got)
			}
			if len(item.Open) != 2 {
				t.Error("it changes what it was given")
			}
		})
	}
}

func TestJudge(t *testing.T) {
	item := newItem(capability.FolderOf("skills/knot"))
	item.Proposal = "update-knot-aaaaaaaa"
	var found diag.List
	found.Add(diag.Diagnostic{Rule: "a", Severity: diag.Warning})
	if got := judge(item, found); got.State != Would || got.Proposal == "" || len(got.Findings) != 1 {
		t.Errorf("%+v", got)
	}
	found.Errorf("b", diag.Pos{File: "x"}, "", "no")
	if got := judge(item, found); got.State != Refused || got.Proposal != "" || got.Reason != "x: no [b]" || len(got.Findings) != 2 {
		t.Errorf("%+v", got)
	}
}

func TestReplaceable(t *testing.T) {
	ada, ben := forge.Actor{Name: "ada"}, forge.Actor{Name: "ben"}
	for name, tc := range map[string]struct {
		id     string
		author forge.Actor
		pushes []forge.Push
		want   bool
	}{
		"one's own":               {"update-knot-aaaaaaaa", ada, []forge.Push{{By: ada}, {By: ben, Engine: true}}, true},
		"another's":               {"update-knot-aaaaaaaa", ben, nil, false},
		"someone else pushed":     {"update-knot-aaaaaaaa", ada, []forge.Push{{By: ada}, {By: ben}}, false},
		"a push that nobody saw":  {"update-knot-aaaaaaaa", ada, []forge.Push{{}}, false},
		"a proposal of the skill": {"better-knot-aaaaaaaa", ada, nil, false},
	} {
		if got := replaceable(forge.Pull{ID: tc.id, Author: tc.author}, tc.pushes, ada); got != tc.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
