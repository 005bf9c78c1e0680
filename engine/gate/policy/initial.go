package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/strictyaml"
)

// Person is the owner of a new workspace.
type Person struct {
	// Name as people write it; the identity's name is derived from it.
	Name string
	// Email of their commits; may be empty.
	Email string
	// PublicKey is a line as in authorized_keys, or a fingerprint.
	PublicKey string
	// Logins maps a forge (github, gitea) to an account there; may be nil.
	Logins map[string]string
}

// InitialRoles returns the roles.yaml of a new workspace: one human who holds every role that
// decides, and the agents, who hold the roles of delegated work. The text loads without a
// diagnostic; an error says which value is unusable.
func InitialRoles(human Person, agents []string) ([]byte, error) {
	name := IdentityName(human.Name)
	if slices.Contains(agents, name) {
		name += "-human"
	}
	owner, err := personEntry(human)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString(rolesHeader)
	fmt.Fprintf(&b, "\npeople:\n  %s:\n%s", name, owner)
	b.WriteString("\nagents:")
	if len(agents) == 0 {
		b.WriteString(" {}")
	}
	for _, agent := range agents {
		fmt.Fprintf(&b, "\n  %s: {}", agent)
	}
	list := strings.Join(agents, ", ")
	fmt.Fprintf(&b, "\n\nroles:\n  human: [%s]\n  lead: [%s]\n", name, name)
	for _, role := range []string{Researcher, Developer, Analyst, Writer} {
		fmt.Fprintf(&b, "  %s: [%s]\n", role, list)
	}
	fmt.Fprintf(&b, "  %s: [%s]\n", Ops, name)
	return checkedRoles([]byte(b.String()))
}

const rolesHeader = `# Who is who, and who may do what.
#
# keys are SSH fingerprints (SHA256:…) or public keys: signed reviews are recognised
# by them. emails only ever keep people from approving their own work. logins are
# accounts on hosted forges, such as {github: name}. Nothing may belong to two.
#
# human approves what is dangerous; lead approves what is ordinary, and an agent may
# hold it, though never for its own work. Changing this file is critical.
`

// personEntry writes the fields of one person. Values are written by the YAML
// library, so that no name or address can break out of its place.
func personEntry(p Person) (string, error) {
	e := rawIdentity{Logins: p.Logins}
	if p.PublicKey != "" {
		e.Keys = []string{strings.TrimSpace(p.PublicKey)}
	}
	if p.Email != "" {
		e.Emails = []string{p.Email}
	}
	if len(e.Keys)+len(e.Emails) == 0 {
		return "", errors.New("a person needs a key or an e-mail address in roles.yaml")
	}
	text, err := strictyaml.Marshal(e)
	if err != nil {
		return "", fmt.Errorf("writing %s: %w", RolesFile, err)
	}
	return "    " + strings.ReplaceAll(strings.TrimRight(string(text), "\n"), "\n", "\n    ") + "\n", nil
}

// checkedRoles refuses text that would not load cleanly.
func checkedRoles(text []byte) ([]byte, error) {
	doc, ds := strictyaml.Parse(RolesFile, text, 1, strictyaml.DefaultLimits())
	readRoles(doc, &ds)
	if len(ds) > 0 {
		return nil, fmt.Errorf("these names, keys or addresses cannot be used: %s", ds[0].Message)
	}
	return text, nil
}

// IdentityName turns a person's name into one for roles.yaml: lower-case ASCII
// letters and digits, other runs of characters become '-'; "owner" when nothing
// is left.
func IdentityName(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	out := strings.Join(words, "-")
	if len(out) > maxIdentityName-len("-human") {
		out = strings.TrimRight(out[:maxIdentityName-len("-human")], "-")
	}
	if out == "" {
		return "owner"
	}
	return out
}
