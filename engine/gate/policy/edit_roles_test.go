package policy_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/gate/policy"
)

const plainRoles = `# Who is who.

people:
  ann:
    keys: ["SHA256:AnnAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"]
    emails: [ann@example.org]

# Programs.
agents:
  scout: {}

# Who may.
roles:
  human: [ann]
  lead: [ann]
  analyst: [scout]
`

func fp(name string) string { return "SHA256:" + name + strings.Repeat("A", 43-len(name)) }

func TestEditRoles(t *testing.T) {
	for name, c := range map[string]struct {
		change      policy.RolesChange
		gone, comes []string
	}{
		"a person": {
			policy.RolesChange{Name: "bob", Keys: []string{fp("Bob")}, Emails: []string{"bob@example.org"}, Roles: []string{policy.Human}},
			[]string{"  human: [ann]"},
			[]string{"  bob:", "    keys:", "      - " + fp("Bob"), "    emails:", "      - bob@example.org", "  human: [ann, bob]"},
		},
		"an agent with an owner": {
			policy.RolesChange{Name: "smith", Agent: true, Owner: "ann", Roles: []string{policy.Ops}}, nil,
			[]string{"  smith:", "    owner: ann", "  ops: [smith]"},
		},
		"an owner of one that is there": {policy.RolesChange{Name: "scout", Owner: "ann"}, []string{"  scout: {}"}, []string{"  scout:", "    owner: ann"}},
		"another key": {
			policy.RolesChange{Name: "ann", Keys: []string{fp("New")}},
			[]string{`    keys: ["` + fp("Ann") + `"]`, "    emails: [ann@example.org]"},
			[]string{"    keys:", "      - " + fp("Ann"), "      - " + fp("New"), "    emails:", "      - ann@example.org"},
		},
		"an agent removed": {policy.RolesChange{Name: "scout", Remove: true}, []string{"  scout: {}", "  analyst: [scout]"}, []string{"  analyst: []"}},
		"a role removed":   {policy.RolesChange{Name: "ann", Remove: true, Roles: []string{policy.Lead}}, []string{"  lead: [ann]"}, []string{"  lead: []"}},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := policy.EditRoles([]byte(plainRoles), c.change)
			if err != nil {
				t.Fatal(err)
			}
			gone, comes := difference(plainRoles, string(out))
			if diff := cmp.Diff([2][]string{c.gone, c.comes}, [2][]string{gone, comes}); diff != "" {
				t.Errorf("%s\n%s", diff, out)
			}
		})
	}
}

// difference is which lines are in one of two texts only.
func difference(before, after string) (gone, comes []string) {
	only := func(in, other string) (out []string) {
		for line := range strings.SplitSeq(in, "\n") {
			if !slices.Contains(strings.Split(other, "\n"), line) {
				out = append(out, line)
			}
		}
		return out
	}
	return only(before, after), only(after, before)
}

func TestEditRolesRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		src    string
		change policy.RolesChange
		byHand bool
	}{
		"nobody":                 {plainRoles, policy.RolesChange{Name: "bob", Remove: true}, false},
		"a bad key":              {plainRoles, policy.RolesChange{Name: "bob", Keys: []string{"x"}}, false},
		"another's key":          {plainRoles, policy.RolesChange{Name: "bob", Keys: []string{fp("Ann")}}, false},
		"a bad address":          {plainRoles, policy.RolesChange{Name: "ann", Emails: []string{"x"}}, false},
		"an unknown role":        {plainRoles, policy.RolesChange{Name: "ann", Emails: []string{"a@x.org"}, Roles: []string{"king"}}, false},
		"an unknown role gone":   {plainRoles, policy.RolesChange{Name: "ann", Remove: true, Roles: []string{"king"}}, false},
		"an agent as one":        {plainRoles, policy.RolesChange{Name: "scout", Roles: []string{policy.Human}}, false},
		"an owner unknown":       {plainRoles, policy.RolesChange{Name: "scout", Owner: "nobody"}, false},
		"a name that breaks out": {plainRoles, policy.RolesChange{Name: "bob: {}\n  eve", Emails: []string{"e@example.org"}}, false},
		"no such key":            {plainRoles, policy.RolesChange{Name: "ann", Remove: true, Keys: []string{fp("Bob")}}, false},
		"comments in the entry":  {strings.Replace(plainRoles, "  ann:\n", "  ann: # the boss\n", 1), policy.RolesChange{Name: "ann", Keys: []string{fp("New")}}, true},
		"flow style":             {"people: {ann: {emails: [a@example.org]}}\nagents: {}\nroles: {human: [ann]}\n", policy.RolesChange{Name: "bob", Emails: []string{"b@example.org"}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := policy.EditRoles([]byte(c.src), c.change)
			if err == nil || errors.Is(err, policy.ErrByHand) != c.byHand {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
