package task_test

import (
	"os"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

// The renewal of a check's lease learns that another clone gave the proposal another head, or ended it. A branch
// that was only removed on the hub, and a hub that is away, stop nothing.
func TestMootElsewhere(t *testing.T) {
	all, _ := clones(t, scripted, 2)
	here, other := all[0], all[1]
	scout := forge.Actor{Name: "scout"}
	skill := func(name, text string) propose.Request {
		content := []byte("---\nname: " + name + "\ndescription: Ties a rope to a " + name + ". Use when a " + name + " has to stay.\n---\n# Tie\n\n" + text + "\n")
		return propose.Request{
			Edits: []tree.Edit{{Path: "skills/" + name + "/SKILL.md", Content: content}}, By: scout,
			Author: gitstore.Person{Name: "scout", Email: "scout@agents.invalid", When: here.Clock},
		}
	}
	session := func(p *place) workspace.Session {
		w, err := p.on(nil)
		p.OK(err)
		cur, err := w.Session(t.Context())
		p.OK(err)
		return cur
	}
	elsewhere := func(do func(cur workspace.Session) (forge.Pull, error)) forge.Pull {
		cur := session(other)
		pull, err := do(cur)
		other.OK(err)
		_, err = exchange.Push(t.Context(), cur.Workspace, exchange.Options{Remote: "origin"})
		other.OK(err)
		return pull
	}
	opens := func(name string) forge.Pull {
		return elsewhere(func(cur workspace.Session) (forge.Pull, error) {
			out, err := propose.Open(t.Context(), cur.Workspace, skill(name, "Tie it."))
			return out.Pull, err
		})
	}
	pole, tree, boat := opens("pole"), opens("tree"), opens("boat")
	cur := session(here)
	wants := func(what string, p forge.Pull, want bool) {
		t.Helper()
		if now := task.Moot(t.Context(), cur, p.ID, p.Head, false); now {
			t.Errorf("%s: it is known before the renewal", what)
		}
		if got := task.Moot(t.Context(), cur, p.ID, p.Head, true); got != want {
			t.Errorf("%s: moot %t", what, got)
		}
	}

	wants("nothing happened", pole, false)
	hub := strings.TrimSpace(storetest.Git(t, here.Dir, "remote", "get-url", "origin"))
	storetest.Git(t, hub, "update-ref", "-d", "refs/heads/"+boat.Branch)
	wants("its branch was removed", boat, false)
	elsewhere(func(cur workspace.Session) (forge.Pull, error) {
		out, err := propose.Update(t.Context(), cur.Workspace, pole.ID, skill("pole", "Tie it twice."))
		return out.Pull, err
	})
	here.OK(os.Rename(hub, hub+".away"))
	wants("the hub is away", pole, false)
	here.OK(os.Rename(hub+".away", hub))
	wants("it has another head", pole, true)
	elsewhere(func(cur workspace.Session) (forge.Pull, error) {
		_, err := propose.Withdraw(t.Context(), cur, tree, scout, "no")
		return tree, err
	})
	wants("it was withdrawn", tree, true)
}
