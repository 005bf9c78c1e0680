package policy

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/format/review"
)

type rawRoles struct {
	People map[string]rawIdentity `yaml:"people"`
	Agents map[string]rawIdentity `yaml:"agents"`
	Roles  map[string][]string    `yaml:"roles"`
}

// rawIdentity is an entry of roles.yaml, as it is read and written.
type rawIdentity struct {
	Keys   []string          `yaml:"keys,omitempty"`
	Emails []string          `yaml:"emails,omitempty"`
	Logins map[string]string `yaml:"logins,omitempty"`
	Owner  string            `yaml:"owner,omitempty"`
	Until  string            `yaml:"until,omitempty"`
	// Revoked comes last, as the history of the entry.
	Revoked []rawRevocation `yaml:"revoked,omitempty"`
}

var (
	identityName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`) })
	// fingerprint is base64 of 32 bytes without padding.
	fingerprint  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^SHA256:[A-Za-z0-9+/]{43}$`) })
	emailAddress = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[^@\s<>\pC]+@[^@\s<>\pC]+$`) })
	forgeName    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(github|gitea)$`) })
)

const maxIdentityName = 64

// rolesReader turns the raw file into Roles, keeping positions.
type rolesReader struct {
	doc *strictyaml.Doc
	ds  *diag.List
	out Roles
	// claimed maps a key, in use or revoked, to the name that lists it.
	claimed map[review.Fingerprint]string
}

func readRoles(doc *strictyaml.Doc, ds *diag.List) Roles {
	var raw rawRoles
	doc.Decode(&raw, ds)
	r := rolesReader{doc: doc, ds: ds, claimed: map[review.Fingerprint]string{}, out: Roles{
		identities: map[string]Identity{}, members: map[string][]string{},
		keys: map[review.Fingerprint]string{}, revoked: map[review.Fingerprint]string{}, emails: map[string]string{}, logins: map[string]string{},
	}}
	r.identities("people", KindHuman, raw.People)
	r.identities("agents", KindAgent, raw.Agents)
	r.owners(raw)
	for _, role := range slices.Sorted(maps.Keys(raw.Roles)) {
		r.role(role, raw.Roles[role])
	}
	if len(r.out.members[Human]) == 0 {
		ds.Warnf(RuleNoHuman, doc.Pos("roles"), "put at least one of people into roles: human",
			"no one holds the human role: a change that needs a human can never be approved")
	}
	return r.out
}

func (r *rolesReader) identities(section string, kind IdentityKind, raw map[string]rawIdentity) {
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		pos := r.doc.Pos(section, name)
		if !identityName().MatchString(name) || len(name) > maxIdentityName {
			r.ds.Errorf(RuleName, pos, "use lower-case letters and digits, words joined by '-'", "%q is no name for an identity", name)
			continue
		}
		if _, taken := r.out.identities[name]; taken {
			r.ds.Errorf(RuleName, pos, "give the agent a name of its own", "%q is both a person and an agent", name)
			continue
		}
		r.out.identities[name] = r.identity(section, name, kind, raw[name])
	}
}

func (r *rolesReader) identity(section, name string, kind IdentityKind, raw rawIdentity) Identity {
	id := Identity{Name: name, Kind: kind, Logins: map[string]string{}}
	for i, text := range raw.Keys {
		pos := r.doc.Pos(section, name, "keys", i)
		if key, ok := r.key(pos, text); ok && claim(r, pos, r.claimed, key, name, "key") {
			r.out.keys[key] = name
			id.Keys = append(id.Keys, key)
		}
	}
	id.Revoked = r.revocations(section, name, raw.Revoked)
	for i, email := range raw.Emails {
		pos := r.doc.Pos(section, name, "emails", i)
		if !emailAddress().MatchString(email) {
			r.ds.Errorf(RuleEmail, pos, "write it as name@example.org", "%q is no e-mail address", email)
		} else if claim(r, pos, r.out.emails, strings.ToLower(email), name, "e-mail address") {
			id.Emails = append(id.Emails, email)
		}
	}
	for _, forge := range slices.Sorted(maps.Keys(raw.Logins)) {
		pos, login := r.doc.Pos(section, name, "logins", forge), raw.Logins[forge]
		if !forgeName().MatchString(forge) || strings.TrimSpace(login) == "" {
			r.ds.Errorf(RuleName, pos, "write github: account or gitea: account", "no account on a known forge: %q", forge+": "+login)
		} else if claim(r, pos, r.out.logins, loginKey(forge, login), name, "account") {
			id.Logins[forge] = login
		}
	}
	if raw.Until != "" {
		id.Until = day(r.ds, r.doc.ValuePos(section, name, "until"), raw.Until)
	}
	return id
}

// owners reads the owners of agents. An unknown owner is refused, since two accounts of one
// person must be recognised.
func (r *rolesReader) owners(raw rawRoles) {
	for _, name := range slices.Sorted(maps.Keys(raw.People)) {
		if raw.People[name].Owner != "" {
			r.ds.Errorf(RuleOwner, r.doc.ValuePos("people", name, "owner"), "only agents have an owner: remove the line", "%q is a person", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(raw.Agents)) {
		owner := raw.Agents[name].Owner
		id, listed := r.out.identities[name]
		if owner == "" || !listed {
			continue
		}
		if who, known := r.out.identities[owner]; !known || who.Kind != KindHuman {
			r.ds.Errorf(RuleOwner, r.doc.ValuePos("agents", name, "owner"), "name an entry of people", "%q is no person in this file", owner)
			continue
		}
		id.Owner = owner
		r.out.identities[name] = id
	}
}

// key accepts a fingerprint, or a whole public key as in authorized_keys.
func (r *rolesReader) key(pos diag.Pos, text string) (review.Fingerprint, bool) {
	if fingerprint().MatchString(text) {
		return review.Fingerprint(text), true
	}
	const fix = "paste the .pub file's line, or what `ssh-keygen -lf FILE.pub` prints after the size (SHA256:…)"
	public, _, options, rest, err := ssh.ParseAuthorizedKey([]byte(text))
	if err != nil || len(options) > 0 || len(rest) > 0 {
		r.ds.Errorf(RuleKey, pos, fix, "neither a fingerprint nor a public key")
		return "", false
	}
	if err := review.CheckKey(public); err != nil {
		r.ds.Errorf(RuleKey, pos, "make one with `assent keys new NAME` or `ssh-keygen -t ed25519`", "%v", err)
		return "", false
	}
	return review.FingerprintOf(public), true
}

// claim registers that a key, address or account belongs to name: if it could
// belong to two, an approval could count twice, or an author approve their own.
func claim[K ~string](r *rolesReader, pos diag.Pos, owners map[K]string, what K, name, noun string) bool {
	owner, taken := owners[what]
	if taken {
		r.ds.Errorf(RuleShared, pos, "remove one of the two", "%s already lists this %s: %q", owner, noun, string(what))
		return false
	}
	owners[what] = name
	return true
}

func (r *rolesReader) role(role string, members []string) {
	if !slices.Contains(KnownRoles(), role) {
		r.ds.Errorf(RuleRole, r.doc.Pos("roles", role), "the roles are "+strings.Join(KnownRoles(), ", "), "unknown role %q", role)
		return
	}
	listed := map[string]bool{}
	for i, name := range members {
		pos := r.doc.Pos("roles", role, i)
		id, known := r.out.identities[name]
		switch {
		case !known:
			r.ds.Errorf(RuleMember, pos, "add an entry to people or agents, or remove the name", "%q is not in people or agents", name)
		case role == Human && id.Kind != KindHuman:
			r.ds.Errorf(RuleHuman, pos, "only entries of people can be human", "%q is an agent", name)
		case listed[name]:
			r.ds.Errorf(RuleMember, pos, "remove the repetition", "%q is listed twice in the role", name)
		default:
			listed[name] = true
			r.out.members[role] = append(r.out.members[role], name)
		}
	}
	slices.Sort(r.out.members[role])
}

// day reads 2027-01-31 as the start of that day in UTC.
func day(ds *diag.List, pos diag.Pos, text string) time.Time {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		ds.Errorf(RuleRange, pos, `write it as "2027-01-31"`, "%q is no date", text)
	}
	return t
}
