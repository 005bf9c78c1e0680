package policy

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/format/review"
)

// The roles that roles.yaml can give. Human approves dangerous changes, Lead ordinary ones; the
// others are for delegated work and extra rules.
const (
	Human      = "human"
	Lead       = "lead"
	Researcher = "researcher"
	Developer  = "developer"
	Analyst    = "analyst"
	Writer     = "writer"
	Ops        = "ops"
	// Witness vouches for approvals by accounts on a service. The holder of a witness's
	// key can claim any such approval.
	Witness = "witness"
	// Runner vouches for results of required checks. The holder of a runner's key can claim
	// any result.
	Runner = "runner"
)

// KnownRoles returns all roles in the order in which help texts show them.
func KnownRoles() []string {
	return []string{Human, Lead, Researcher, Developer, Analyst, Writer, Ops, Witness, Runner}
}

// IdentityKind tells people from programs.
type IdentityKind string

// The kinds of identities.
const (
	KindHuman IdentityKind = "human"
	KindAgent IdentityKind = "agent"
)

// Identity is a person or agent in roles.yaml, with all names that they appear by.
type Identity struct {
	Name   string               `json:"name"`
	Kind   IdentityKind         `json:"kind"`
	Keys   []review.Fingerprint `json:"keys,omitempty"`
	Emails []string             `json:"emails,omitempty"`
	// Logins maps a forge (github, gitea) to an account there.
	Logins map[string]string `json:"logins,omitempty"`
	// Owner is the person who runs an agent; empty if none is listed. People have none.
	Owner string `json:"owner,omitempty"`
	// Revoked are their keys that prove nothing any more.
	Revoked []Revocation `json:"revoked,omitempty"`
	// Until is when the identity's approvals stop counting; zero means never.
	Until time.Time `json:"until,omitzero"`
}

// Expired reports whether the identity's signatures no longer count at now.
func (i Identity) Expired(now time.Time) bool { return !i.Until.IsZero() && !now.Before(i.Until) }

// CanApprove reports whether anything can prove that a review is theirs: a key or an
// account on a forge. An address proves nothing.
func (i Identity) CanApprove() bool { return len(i.Keys)+len(i.Logins) > 0 }

// Roles identifies people and agents and holds their roles. The zero value knows none.
type Roles struct {
	identities map[string]Identity
	members    map[string][]string // role → names, sorted
	keys       map[review.Fingerprint]string
	revoked    map[review.Fingerprint]string
	emails     map[string]string // lower case
	logins     map[string]string // forge/login, lower case
}

func loginKey(forge, login string) string {
	return strings.ToLower(forge) + "/" + strings.ToLower(login)
}

// All returns every identity, sorted by name.
func (r Roles) All() []Identity {
	return order.Sorted(maps.Values(r.identities), func(a, b Identity) int { return strings.Compare(a.Name, b.Name) })
}

// ByName returns the identity of that name.
func (r Roles) ByName(name string) (Identity, bool) {
	id, ok := r.identities[name]
	return id, ok
}

// ByKey returns the identity that lists the key.
func (r Roles) ByKey(key review.Fingerprint) (Identity, bool) { return r.ByName(r.keys[key]) }

// ByEmail returns the identity that lists the address, whatever its case.
func (r Roles) ByEmail(email string) (Identity, bool) {
	return r.ByName(r.emails[strings.ToLower(email)])
}

// ByLogin returns the identity with that account on a forge; logins are compared
// without case, as forges do.
func (r Roles) ByLogin(forge, login string) (Identity, bool) {
	return r.ByName(r.logins[loginKey(forge, login)])
}

// Has reports whether id holds the role itself.
func (r Roles) Has(id Identity, role string) bool {
	_, known := r.identities[id.Name]
	_, holds := slices.BinarySearch(r.members[role], id.Name)
	return known && holds
}

// Satisfies reports whether an approval by id counts for the role: its holders,
// and humans for Lead. Only people count for Human.
func (r Roles) Satisfies(id Identity, role string) bool {
	switch role {
	case Human:
		return id.Kind == KindHuman && r.Has(id, Human)
	case Lead:
		return r.Has(id, Lead) || r.Satisfies(id, Human)
	default:
		return r.Has(id, role)
	}
}

// Members returns the names that hold a role, sorted.
func (r Roles) Members(role string) []string { return slices.Clone(r.members[role]) }

// TakersOf returns a name for a command line: the role itself, or the first of its holders if
// several hold it and one has to be named.
func (r Roles) TakersOf(role string) string { return r.Named(role, r.members[role]) }

// Named is TakersOf for those holders of the role who may act.
func (r Roles) Named(role string, takers []string) string {
	if len(r.members[role]) < 2 || len(takers) == 0 {
		return role
	}
	return takers[0]
}

// Humans returns the names of the people in the human role, sorted.
func (r Roles) Humans() []string { return r.Members(Human) }

// RolesOf returns the roles that id holds, in the order of KnownRoles.
func (r Roles) RolesOf(id Identity) []string {
	var out []string
	for _, role := range KnownRoles() {
		if r.Has(id, role) {
			out = append(out, role)
		}
	}
	return out
}

// Proven returns the identity that an actor proved to be: by a key, else by an
// account that the forge reported. Names, e-mail addresses and claimed keys prove
// nothing.
func (r Roles) Proven(a Actor) (Identity, bool) {
	if a.Key != "" {
		return r.ByKey(a.Key)
	}
	if a.Login == "" {
		return Identity{}, false
	}
	return r.ByLogin(a.Forge, a.Login)
}

// Possible returns the names of all identities that an actor may be, by any of
// its key, e-mail address, account or claimed name; sorted.
func (r Roles) Possible(a Actor) []string {
	var out []string
	add := func(id Identity, ok bool) {
		if ok && !slices.Contains(out, id.Name) {
			out = append(out, id.Name)
		}
	}
	add(r.ByName(a.Name))
	for _, key := range []review.Fingerprint{a.Key, a.Claimed} {
		add(r.ByKey(key))
		//defence:revoked-keys-still-exclude
		add(r.ByName(r.revoked[key]))
	}
	add(r.ByEmail(a.Email))
	add(r.ByLogin(a.Forge, a.Login))
	add(r.ByLogin(a.Forge, a.ClaimedLogin))
	slices.Sort(out)
	return out
}
