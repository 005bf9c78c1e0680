package policy

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
)

// RolesChange is a change of one identity in roles.yaml.
type RolesChange struct {
	Name string
	// Agent is set if a new identity is an agent.
	Agent bool
	// Remove removes Keys, Emails and Roles instead of adding them. If none is given, it
	// removes the identity, except for its revoked keys.
	Remove              bool
	Keys, Emails, Roles []string
	// Logins are accounts by service. Removing one needs the account that is there.
	Logins map[string]string
	// Owner and Until are set where they are not empty.
	Owner, Until string
	// Revoke moves keys of the identity from those in use to the revoked ones.
	Revoke []Revocation
}

// ErrByHand says that a file is written in a way that EditRoles does not edit.
var ErrByHand = errors.New("edit " + RolesFile + " by hand and propose it: assent propose")

// EditRoles changes one identity in the text of a roles.yaml and keeps every other line as it
// is, comments included. The result loads without an error and has exactly the change. The
// error is ErrByHand if the text cannot be edited in place; any other error describes a fault
// of the change.
func EditRoles(src []byte, c RolesChange) ([]byte, error) {
	raw, before, ds := readRaw(src)
	if ds.HasErrors() {
		return nil, fmt.Errorf("%s has errors of its own: %s: %w", RolesFile, ds[0].Message, ErrByHand)
	}
	section, entry, err := c.apply(raw, before)
	if err != nil {
		return nil, err
	}
	text := rolesText{lines: strings.Split(strings.TrimRight(string(src), "\n"), "\n")}
	_, there := before.ByName(c.Name)
	if same := entry != nil && there && len(c.Keys)+len(c.Emails)+len(c.Logins)+len(c.Revoke) == 0 && c.Owner+c.Until == "" && !c.removesAll(); !same {
		if err := text.entry(section, c.Name, entry); err != nil {
			return nil, err
		}
	}
	for _, role := range KnownRoles() {
		now := c.members(role, raw.Roles[role], c.removesAll())
		if !slices.Equal(now, raw.Roles[role]) {
			if err := text.line("roles", role, "["+strings.Join(now, ", ")+"]"); err != nil {
				return nil, err
			}
		}
	}
	out := []byte(strings.Join(text.lines, "\n") + "\n")
	return out, c.verify(out, raw, section, entry)
}

// Listed finds the identity that has a key or an address of the change; none is a zero
// Identity. An error says that two have, that it is an agent, or that nothing would change.
func (c RolesChange) Listed(roles Roles) (Identity, error) {
	r, found, more := rolesReader{ds: new(diag.List)}, Identity{}, len(c.Roles) > 0 || len(c.Logins) > 0
	take := func(id Identity, known bool) error {
		if more = more || !known; !known {
			return nil
		}
		if found.Name != "" && found.Name != id.Name {
			return fmt.Errorf("your key is one of %s and your address one of %s: nothing may belong to two", found.Name, id.Name)
		}
		found = id
		return nil
	}
	for _, text := range c.Keys {
		key, ok := r.key(diag.Pos{}, text)
		if owner, rev, revoked := roles.RevokedKey(key); revoked {
			return found, errors.New(rev.Refusal(owner.Name))
		}
		id, known := roles.ByKey(key)
		if err := take(id, ok && known); err != nil {
			return found, err
		}
	}
	for _, email := range c.Emails {
		if err := take(roles.ByEmail(email)); err != nil {
			return found, err
		}
	}
	switch {
	case found.Kind == KindAgent:
		return found, fmt.Errorf("your key or address is one of the agent %s", found.Name)
	case found.Name != "" && !more:
		return found, fmt.Errorf("you are %s in %s already, with this key and address", found.Name, RolesFile)
	}
	return found, nil
}

func readRaw(src []byte) (rawRoles, Roles, diag.List) {
	var raw rawRoles
	doc, ds := strictyaml.Parse(RolesFile, src, 1, strictyaml.DefaultLimits())
	if ds.HasErrors() {
		return raw, Roles{}, ds
	}
	doc.Decode(&raw, &ds)
	roles := readRoles(doc, &ds)
	return raw, roles, ds
}

// apply returns the section and the new entry of the identity; nil for none.
func (c RolesChange) apply(raw rawRoles, before Roles) (section string, entry *rawIdentity, err error) {
	id, there := before.ByName(c.Name)
	if section = "people"; c.Agent || there && id.Kind == KindAgent {
		section = "agents"
	}
	switch {
	case !identityName().MatchString(c.Name) || len(c.Name) > maxIdentityName:
		return section, nil, fmt.Errorf("%q is no name for an identity: lower-case letters and digits, words joined by '-'", c.Name)
	case !there && c.Remove:
		return section, nil, fmt.Errorf("%q is not in %s", c.Name, RolesFile)
	case there && c.Agent && id.Kind != KindAgent:
		return section, nil, fmt.Errorf("%q is a person in %s", c.Name, RolesFile)
	case len(c.unknownRoles()) > 0:
		return section, nil, fmt.Errorf("no known role: %q: the roles are %s", c.unknownRoles()[0], strings.Join(KnownRoles(), ", "))
	}
	e := map[string]map[string]rawIdentity{"people": raw.People, "agents": raw.Agents}[section][c.Name]
	switch {
	case c.removesAll() && len(e.Revoked) == 0:
		return section, nil, nil
	case c.removesAll():
		return section, &rawIdentity{Revoked: e.Revoked}, nil
	}
	e.Keys, err = c.list(e.Keys, c.Keys, "key")
	if err == nil {
		e.Emails, err = c.list(e.Emails, c.Emails, "e-mail address")
	}
	if err == nil {
		e.Logins, err = c.logins(e.Logins)
	}
	if err == nil {
		err = e.revoke(c)
	}
	if c.Owner != "" {
		e.Owner = c.Owner
	}
	if c.Until != "" {
		e.Until = c.Until
	}
	return section, &e, err
}

// removesAll reports whether the whole identity is removed, except for its revoked keys.
func (c RolesChange) removesAll() bool {
	return c.Remove && len(c.Keys)+len(c.Emails)+len(c.Roles)+len(c.Logins) == 0
}

func (c RolesChange) unknownRoles() []string {
	return slices.DeleteFunc(slices.Clone(c.Roles), func(r string) bool { return slices.Contains(KnownRoles(), r) })
}

// list is a list with the change made to it. A key is the same in whichever form.
func (c RolesChange) list(have, change []string, noun string) ([]string, error) {
	out := slices.Clone(have)
	for _, v := range change {
		at := slices.IndexFunc(out, func(o string) bool { return sameKey(o, v) })
		switch {
		case c.Remove && at < 0:
			return nil, fmt.Errorf("%s has no %s %q in %s", c.Name, noun, v, RolesFile)
		case c.Remove:
			out = slices.Delete(out, at, at+1)
		case at < 0:
			out = append(out, v)
		}
	}
	return out, nil
}

// logins are the accounts with the change made to them.
func (c RolesChange) logins(have map[string]string) (map[string]string, error) {
	out := maps.Clone(have)
	for service, account := range c.Logins {
		switch {
		case !c.Remove && out == nil:
			out = map[string]string{service: account}
		case !c.Remove:
			out[service] = account
		case !strings.EqualFold(out[service], account):
			return nil, fmt.Errorf("%s has no account %q on %s in %s", c.Name, account, service, RolesFile)
		default:
			delete(out, service)
		}
	}
	return out, nil
}

func sameKey(a, b string) bool {
	r := rolesReader{ds: new(diag.List)}
	x, okA := r.key(diag.Pos{}, a)
	y, okB := r.key(diag.Pos{}, b)
	return a == b || okA && okB && x == y
}

func (c RolesChange) members(role string, have []string, gone bool) []string {
	named := slices.Contains(c.Roles, role)
	switch at := slices.Index(have, c.Name); {
	case at >= 0 && (gone || c.Remove && named):
		return slices.Delete(slices.Clone(have), at, at+1)
	case at < 0 && named && !c.Remove:
		return append(slices.Clone(have), c.Name)
	}
	return have
}

// verify reads the result again: it must have the change and nothing else.
func (c RolesChange) verify(out []byte, was rawRoles, section string, entry *rawIdentity) error {
	now, _, ds := readRaw(out)
	if ds.HasErrors() {
		return fmt.Errorf("the result would be invalid: %s: %s", ds[0].Message, ds[0].Fix)
	}
	for name, people := range map[string][2]map[string]rawIdentity{"people": {was.People, now.People}, "agents": {was.Agents, now.Agents}} {
		before, after := maps.Clone(people[0]), maps.Clone(people[1])
		if name == section {
			got, there := after[c.Name]
			if there != (entry != nil) || there && !got.same(*entry) {
				return ErrByHand
			}
			delete(before, c.Name)
			delete(after, c.Name)
		}
		if !maps.EqualFunc(before, after, rawIdentity.same) {
			return ErrByHand
		}
	}
	for _, role := range KnownRoles() {
		if !slices.Equal(now.Roles[role], c.members(role, was.Roles[role], c.removesAll())) {
			return ErrByHand
		}
	}
	return nil
}

// same reports whether two entries say the same.
func (a rawIdentity) same(b rawIdentity) bool {
	return slices.Equal(a.Keys, b.Keys) && slices.Equal(a.Emails, b.Emails) && maps.Equal(a.Logins, b.Logins) && a.Owner == b.Owner && a.Until == b.Until &&
		slices.Equal(a.Revoked, b.Revoked)
}

// revoke moves keys from those in use to the revoked ones.
func (a *rawIdentity) revoke(c RolesChange) error {
	for _, rev := range c.Revoke {
		at := slices.IndexFunc(a.Keys, func(k string) bool { return sameKey(k, string(rev.Key)) })
		if at < 0 {
			return fmt.Errorf("%s has no key %q in %s", c.Name, rev.Key, RolesFile)
		}
		a.Keys = slices.Delete(slices.Clone(a.Keys), at, at+1)
		a.Revoked = append(slices.Clone(a.Revoked), rawRevocation{string(rev.Key), rev.From.UTC().Format(time.RFC3339), rev.Reason})
	}
	return nil
}
