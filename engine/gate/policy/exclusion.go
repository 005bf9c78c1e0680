package policy

import (
	"maps"
	"slices"
)

// exclusion says why an identity may not approve.
type exclusion struct {
	why string
	// proven says that a key or an account shows it, rather than a name or an
	// address that anybody can write.
	proven bool
	// through is the person that links an excluded identity to a participant: the
	// participant's owner, the person who ran its session, or a common owner. Empty if
	// the identity took part itself.
	through string
}

// exclude returns the identities that proposed, wrote or pushed the change, under any of
// their names, the people behind them, and the other identities of those people. The
// requester (For) is not among them.
func exclude(r Roles, f Facts) map[string]exclusion {
	out := tookPart(r, f)
	persons(r, f, out)
	for _, id := range r.All() {
		behind, excluded := out[id.Owner]
		if _, known := out[id.Name]; known || !excluded || id.Owner == "" {
			continue
		}
		out[id.Name] = exclusion{why: "belongs to " + id.Owner + ", who " + behind.why, through: id.Owner}
	}
	return out
}

// tookPart returns those who acted themselves.
func tookPart(r Roles, f Facts) map[string]exclusion {
	out := map[string]exclusion{}
	add := func(a Actor, why string) {
		proven, _ := r.Proven(a)
		for _, name := range r.Possible(a) {
			old, known := out[name]
			if !known {
				old.why = why
			}
			old.proven = old.proven || name == proven.Name
			out[name] = old
		}
	}
	//defence:proposer-excluded
	add(Actor{Name: f.Agent}, "proposed it")
	//defence:proposer-excluded
	add(f.Proposer, "proposed it")
	//defence:author-excluded
	for _, a := range f.Authors {
		add(a, "wrote a commit of it")
	}
	//defence:pusher-excluded
	for _, a := range f.Pushers {
		add(a, "pushed to it")
	}
	return out
}

// persons adds the owners of agents that took part, and the people who ran a session that
// proposed the change. Neither proves that they know of the change, so the number of
// humans who must approve stays the same.
func persons(r Roles, f Facts, out map[string]exclusion) {
	for _, name := range slices.Sorted(maps.Keys(out)) {
		id, _ := r.ByName(name)
		if _, known := out[id.Owner]; id.Owner != "" && !known {
			out[id.Owner] = exclusion{why: "owns " + name + ", who " + out[name].why, through: id.Owner}
		}
	}
	for _, s := range f.Sessions {
		for _, name := range r.Possible(s) {
			id, _ := r.ByName(name)
			if id.Owner != "" {
				name = id.Owner
			}
			if _, known := out[name]; !known {
				out[name] = exclusion{why: "ran the session that proposed it", through: name}
			}
		}
	}
}
