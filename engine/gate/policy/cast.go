package policy

import (
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/format/review"
)

// Cast are people and agents that exist in a scenario only: names with their roles.
type Cast struct {
	People, Agents map[string][]string
}

// Miscast describes an error in one of them.
type Miscast struct {
	Section, Name string
	Message, Fix  string
}

// Roles gives everybody of a cast a key of their own, KeyOf their name.
func (c Cast) Roles() (Roles, []Miscast) {
	raw := rawRoles{People: map[string]rawIdentity{}, Agents: map[string]rawIdentity{}, Roles: map[string][]string{}}
	for _, section := range []struct {
		of map[string][]string
		to map[string]rawIdentity
	}{{c.People, raw.People}, {c.Agents, raw.Agents}} {
		for _, name := range slices.Sorted(maps.Keys(section.of)) {
			section.to[name] = rawIdentity{Keys: []string{string(KeyOf(name))}}
			for _, role := range section.of[name] {
				raw.Roles[role] = append(raw.Roles[role], name)
			}
		}
	}
	var bad []Miscast
	for section, of := range map[string]map[string][]string{"people": c.People, "agents": c.Agents} {
		for _, name := range slices.Sorted(maps.Keys(of)) {
			for _, role := range of[name] {
				if !slices.Contains(KnownRoles(), role) {
					bad = append(bad, Miscast{section, name, "no role is called \"" + role + "\"", "the roles are " + strings.Join(KnownRoles(), ", ")})
				}
			}
		}
	}
	text, err := strictyaml.Marshal(raw)
	if err != nil {
		return Roles{}, append(bad, Miscast{"people", "", err.Error(), "use ordinary names"})
	}
	doc, found := strictyaml.Parse(RolesFile, text, 1, strictyaml.DefaultLimits())
	var out Roles
	if !found.HasErrors() {
		out = readRoles(doc, &found)
	}
	for _, d := range found {
		if d.Severity == diag.Error && len(bad) == 0 {
			bad = append(bad, Miscast{"people", "", d.Message, d.Fix})
		}
	}
	return out, bad
}

// KeyOf returns the key of a member of a cast. It has no private half.
func KeyOf(name string) review.Fingerprint {
	sum := sha256.Sum256([]byte("assent scenario " + name))
	return review.Fingerprint("SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:]))
}
