package actions

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assent-dev/assent/engine/gate/policy"
)

// codeOwnersPlaces are where GitHub looks for code owners; the first one there counts.
func codeOwnersPlaces() []string { return []string{CodeOwnersFile, "CODEOWNERS", "docs/CODEOWNERS"} }

// HasCodeOwners tells where a tree has its code owners already; "" where nowhere.
func HasCodeOwners(exists func(path string) (bool, error)) (string, error) {
	for _, path := range codeOwnersPlaces() {
		if there, err := exists(path); there || err != nil {
			return path, err
		}
	}
	return "", nil
}

// account is the form of a login on GitHub. What roles.yaml holds beside it would be a
// line of somebody's own in the file.
// Compiled when it is first asked for: every start of the program would pay for it.
var account = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9A-Za-z](-?[0-9A-Za-z]){0,38}$`)
})

// IsAccount reports whether a name can be an account on GitHub.
func IsAccount(name string) bool { return account().MatchString(name) }

// Owners are the accounts on GitHub of the people who approve what is critical, in the
// order of their names. Those who have none there, or whose entry has lapsed, are left out.
func Owners(roles policy.Roles, now time.Time) []string {
	var out []string
	for _, name := range roles.Humans() {
		if id, ok := roles.ByName(name); ok && !id.Expired(now) && IsAccount(id.Logins["github"]) {
			out = append(out, id.Logins["github"])
		}
	}
	return out
}

// guarded are the folders that decide how proposals are judged, or who agents are.
func guarded() []string { return []string{".github", "policies", "soul", "workflows"} }

// codeOwners writes the file; nil where nobody could be asked.
func codeOwners(owners, more []string) []byte {
	if len(owners) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString(`# Who is asked to look at what decides how proposals are judged, and at who agents are.
# Written from policies/roles.yaml, which alone says who may approve; when the roles
# change, this file has to be changed as well.
`)
	folders := append(guarded(), more...)
	slices.Sort(folders)
	for _, folder := range slices.Compact(folders) {
		fmt.Fprintf(&b, "/%s/ @%s\n", folder, strings.Join(owners, " @"))
	}
	return []byte(b.String())
}
