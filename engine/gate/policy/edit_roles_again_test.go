package policy_test

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/gate/policy"
)

func TestAddRolesAgain(t *testing.T) {
	base := "people:\n  ada:\n    emails:\n      - ada@example.org\nagents:\n  scout: {}\nroles:\n  human: [ada]\n  lead:\n    - ada\n  developer: [scout]\n"
	add := func(src string, c policy.RolesChange) string {
		t.Helper()
		out, err := policy.EditRoles([]byte(src), c)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	bob := policy.RolesChange{Name: "bob", Emails: []string{"bob@example.org"}, Roles: []string{"human", "lead"}}
	smith := policy.RolesChange{Name: "smith", Agent: true, Owner: "ada", Roles: []string{"developer"}}
	now := add(base, policy.RolesChange{Name: "carol", Emails: []string{"carol@example.org"}, Roles: []string{"human", "lead"}})
	gone := strings.ReplaceAll(now, "  scout: {}", "  other: {}")
	gone = strings.ReplaceAll(gone, "[scout]", "[other]")
	for name, c := range map[string]struct{ after, now, want string }{
		"an addition, to lists of both kinds": {add(base, bob), now, add(now, bob)},
		"two additions":                       {add(add(base, bob), smith), now, add(add(now, bob), smith)},
		"written by hand in a block list":     {strings.Replace(add(base, policy.RolesChange{Name: "bob", Emails: bob.Emails, Roles: []string{"human"}}), "    - ada\n", "    - ada\n    - bob\n", 1), now, add(now, bob)},
		"a role of one who is there":          {add(base, policy.RolesChange{Name: "scout", Roles: []string{"writer"}}), now, add(now, policy.RolesChange{Name: "scout", Roles: []string{"writer"}})},
		"somebody main took away":             {add(base, policy.RolesChange{Name: "scout", Roles: []string{"writer"}}), gone, ""},
		"a removal":                           {add(base, policy.RolesChange{Name: "ada", Remove: true, Roles: []string{"lead"}}), now, ""},
		"another address":                     {strings.Replace(base, "ada@example.org", "eve@example.org", 1), now, ""},
		"a comment":                           {"# who\n" + add(base, bob), now, ""},
	} {
		got, ok := policy.AddRolesAgain([]byte(base), []byte(c.after), []byte(c.now))
		if ok != (c.want != "") || ok && string(got) != c.want {
			t.Errorf("%s: %t\n%s\nwant\n%s", name, ok, got, c.want)
		}
	}
}
