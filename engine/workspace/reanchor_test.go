package workspace_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/workspace"
)

// If a version of the program cannot read roles.yaml in force, the newest readable one says who
// the humans were.
func TestLastRoles(t *testing.T) {
	d := newWorld(t)
	good := d.current()
	want, err := workspace.FindLastRoles(good)
	if err != nil || want.Commit != good.InForce || len(want.Roles.Humans()) == 0 {
		t.Fatalf("%+v, %v", want, err)
	}
	broken := good
	broken.InForce = d.Straight("Roles of another time", tree.Edit{Path: policy.RolesFile, Content: []byte("people: [\n")})
	got, err := workspace.FindLastRoles(broken)
	if err != nil || got.Commit != good.InForce || string(got.Text) != string(want.Text) {
		t.Fatalf("%s, %v", got.Commit.Short(), err)
	}
	human := got.Roles.Humans()[0]
	id, _ := got.Roles.ByName(human)
	text, err := got.Reanchored(human, d.Ada.PublicKey(), "unreadable", d.Now())
	if err != nil || len(id.Keys) != 1 || strings.Contains(string(text), "revoked") {
		t.Errorf("the key that %s had does not stay: %v\n%s", human, err, text)
	}
	broken.Genesis = broken.InForce
	if _, err := workspace.FindLastRoles(broken); !errors.Is(err, workspace.ErrNoRoles) {
		t.Errorf("no roles at all: %v", err)
	}
}
