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

// codeOwnersPlaces are the paths where GitHub looks for code owners; the first that exists
// counts.
func codeOwnersPlaces() []string { return []string{CodeOwnersFile, "CODEOWNERS", "docs/CODEOWNERS"} }

// HasCodeOwners returns the path of a tree's existing code owners, or "".
func HasCodeOwners(exists func(path string) (bool, error)) (string, error) {
	for _, path := range codeOwnersPlaces() {
		if there, err := exists(path); there || err != nil {
			return path, err
		}
	}
	return "", nil
}

// account is the form of a login on GitHub. Anything else in roles.yaml could add its own
// lines to the file. It is compiled on first use, to keep the program's start fast.
var account = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9A-Za-z](-?[0-9A-Za-z]){0,38}$`)
})

// IsAccount reports whether a name can be an account on GitHub.
func IsAccount(name string) bool { return account().MatchString(name) }

// Owners returns the GitHub accounts of the people who approve critical changes, in the
// order of their names, without people who have no account there or whose entry has
// expired.
func Owners(roles policy.Roles, now time.Time) []string {
	var out []string
	for _, name := range roles.Humans() {
		if id, ok := roles.ByName(name); ok && !id.Expired(now) && IsAccount(id.Logins["github"]) {
			out = append(out, id.Logins["github"])
		}
	}
	return out
}

// guarded are the folders that decide how proposals are judged or define agents'
// identities.
func guarded() []string { return []string{".github", "policies", "soul", "workflows"} }

// codeOwners returns the file's content, or nil if there are no owners.
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
