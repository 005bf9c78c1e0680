package policy

import (
	"maps"
	"slices"
	"strings"
)

// AddRolesAgain makes the additions that lead from before to after in now, so that two
// independent additions to a roles.yaml need no merge by hand. It answers false if the
// change does anything else, or cannot be made in now.
func AddRolesAgain(before, after, now []byte) ([]byte, bool) {
	was, _, bad := readRaw(before)
	is, _, worse := readRaw(after)
	there, _, worst := readRaw(now)
	if bad.HasErrors() || worse.HasErrors() || worst.HasErrors() || strings.Count(string(before), "#") != strings.Count(string(after), "#") {
		return nil, false
	}
	changes := slices.Concat(additions(was, is, false), additions(was, is, true))
	again := before
	var err error
	for _, c := range changes {
		if again, err = EditRoles(again, c); err != nil {
			return nil, false
		}
	}
	if got, _, _ := readRaw(again); !got.same(is) {
		return nil, false
	}
	for _, c := range changes {
		if was.names(c.Name) && !there.names(c.Name) {
			return nil, false // main took the identity away
		}
		if now, err = EditRoles(now, c); err != nil {
			return nil, false
		}
	}
	return now, true
}

// additions returns the additions of an edit to each person, or to each agent.
func additions(was, is rawRoles, agents bool) (out []RolesChange) {
	before, after := was.People, is.People
	if agents {
		before, after = was.Agents, is.Agents
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		a, b := after[name], before[name]
		c := RolesChange{Name: name, Agent: agents, Keys: beyond(a.Keys, b.Keys), Emails: beyond(a.Emails, b.Emails), Logins: map[string]string{}}
		for service, account := range a.Logins {
			if b.Logins[service] != account {
				c.Logins[service] = account
			}
		}
		if a.Owner != b.Owner {
			c.Owner = a.Owner
		}
		if a.Until != b.Until {
			c.Until = a.Until
		}
		for _, role := range KnownRoles() {
			if slices.Contains(is.Roles[role], name) && !slices.Contains(was.Roles[role], name) {
				c.Roles = append(c.Roles, role)
			}
		}
		if _, known := before[name]; !known || len(c.Roles) > 0 || !a.same(b) {
			out = append(out, c)
		}
	}
	return out
}

func beyond(all, known []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return slices.Contains(known, s) })
}

func (r rawRoles) names(name string) bool {
	_, person := r.People[name]
	_, agent := r.Agents[name]
	return person || agent
}

func (r rawRoles) same(o rawRoles) bool {
	return maps.EqualFunc(r.People, o.People, rawIdentity.same) && maps.EqualFunc(r.Agents, o.Agents, rawIdentity.same) &&
		maps.EqualFunc(r.Roles, o.Roles, slices.Equal[[]string])
}
