package reconcile

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// seenForge is a forge whose service shows who pushed to the inbox.
type seenForge struct {
	forge.Forge
	by []forge.Actor
}

func (s seenForge) Traits() forge.Traits { return forge.Traits{SeesPushers: true} }

func (s seenForge) WhoPushed(context.Context, string, tree.Hash) (string, []forge.Actor, error) {
	return "gitea", s.by, nil
}

const seenRoles = `people:
  ada: {emails: [ada@example.org], logins: {gitea: ada}}
  bob: {emails: [bob@example.org], logins: {gitea: Bob}}
agents:
  scout: {emails: [scout@example.org], logins: {gitea: scout-bot}}
roles:
  human: [ada, bob]
  lead: [ada, bob]
`

// If a service shows who pushed, a person is identified by the pushing account, not by the
// commit.
func TestWhoseOnAService(t *testing.T) {
	f := begin(t)
	cur, err := f.w.Session(f.Context())
	f.OK(err)
	top, err := f.w.Repo.WriteTree(cur.View.Tree(), []tree.Edit{{Path: "policies/roles.yaml", Content: []byte(seenRoles)}})
	f.OK(err)
	view, err := cur.See(top)
	f.OK(err)
	var diags diag.List
	if cur.Policies, diags = policy.Load(view); diags.HasErrors() {
		t.Fatal(diags)
	}
	real, scouts := f.w.Forge, f.push("inbox/scout/hum", "hum")
	for _, c := range []struct {
		branch, drafted string
		by              []string
		want, why       string
	}{
		{"inbox/scout/a", "scout", []string{"stranger"}, "scout", ""},
		{"inbox/scout/a", "", []string{"", "bob"}, "scout", ""},
		{"inbox/scout/a", "ada", []string{"bob"}, "", "whose account did not push it"},
		{"inbox/scout/a", "ada", []string{"bob", "ada"}, "", "whose account did not push it"},
		{"inbox/scout/a", "ada", []string{""}, "", "whose account did not push it"},
		{"inbox/scout/a", "ada", []string{"ADA"}, "ada", ""},
		{"inbox/ada/a", "", []string{"ada"}, "ada", ""},
		{"inbox/ada/a", "", []string{"bob"}, "bob", ""},
		{"inbox/a", "", []string{"scout-bot"}, "scout", ""},
		{"inbox/a", "", []string{"ada", "bob"}, "", "its proposer is unknown"},
		{"inbox/a", "", []string{""}, "", "its proposer is unknown"},
	} {
		var by []forge.Actor
		for _, login := range c.by {
			by = append(by, forge.Actor{Login: login})
		}
		f.w.Forge = seenForge{real, by}
		from, err := pushersOf(f.Context(), cur, Branch{Name: c.branch, Commit: scouts.Commit})
		f.OK(err)
		from.author = "ada" // the forged author address
		got, why := agentOf(cur, from, c.drafted)
		if got != c.want || !strings.Contains(why, c.why) || (why == "") != (c.why == "") {
			t.Errorf("%s drafted by %q, pushed by %q: %q, %s", c.branch, c.drafted, c.by, got, why)
		}
	}
}

// The opening records the pusher, also an unknown one.
func TestWhoPushedIsRecorded(t *testing.T) {
	for name, by := range map[string][]forge.Actor{"somebody": {{Login: "stranger"}}, "nobody knows": {{}}, "several": {{Login: "stranger"}, {}}} {
		t.Run(name, func(t *testing.T) {
			f := begin(t)
			b := f.push("inbox/scout/hum", "hum")
			f.w.Forge = seenForge{f.w.Forge, by}
			f.pass()
			f.w = f.other() // as any clone reads it, without the service
			cur, err := f.w.Session(f.Context())
			f.OK(err)
			ex, err := cur.Examine(f.Context(), IDOf(b))
			f.OK(err)
			if diff := cmp.Diff(by, ex.Case.Activity.Pushes[0].Behind); diff != "" {
				t.Errorf("recorded (-want +got)\n%s", diff)
			}
			unknown := slices.Contains(by, forge.Actor{})
			if ex.Case.Facts().PushersKnown == unknown {
				t.Errorf("whether the pushers are known: %t", !unknown)
			}
		})
	}
}
