package stop

import (
	"cmp"
	"fmt"
	"time"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
)

const (
	// window and budget bound what one human stops alone: within the window, the signed
	// lengths of their stops of one capability add up to at most the budget.
	window = 28 * 24 * time.Hour
	budget = Longest
	// forLong bounds a stop that an open proposal prolongs, from when it was signed.
	forLong = 90 * 24 * time.Hour
)

// Case holds the inputs of a judgement.
type Case struct {
	Workspace tree.Hash
	Roles     policy.Roles
	Now       time.Time
	// Proposals returns the open proposals that change, deprecate or delete the capability of
	// that folded name. Nil knows of none.
	Proposals func(capability string) ([]Proposal, error)
}

// Proposal is an open proposal, as its journal tells.
type Proposal struct {
	ID     string
	Opened time.Time
}

// Held is a capability that is stopped.
type Held struct {
	Capability string    `json:"capability"`
	ID         string    `json:"id"`
	By         string    `json:"by"`
	Reason     string    `json:"reason"`
	At         time.Time `json:"at"`
	// Until is when the stop ends by itself. Proposal is set where that is over, and an open
	// proposal about the capability keeps it up.
	Until    time.Time `json:"until"`
	Proposal string    `json:"proposal,omitempty"`
}

// Ignored is a record without effect, and why.
type Ignored struct {
	ID         string `json:"id"`
	Capability string `json:"capability,omitempty"`
	Why        string `json:"why"`
}

// Judged is the result of judging a workspace's records.
type Judged struct {
	Held    []Held    `json:"held"`
	Ignored []Ignored `json:"ignored"`
}

// Refusal returns the message with the person who stopped a capability of that name, the end and the reason.
func (h Held) Refusal(name string) string {
	until := "until " + h.Until.UTC().Format(time.RFC3339)
	if h.Proposal != "" {
		until = "until the proposal " + h.Proposal + " about it is decided"
	}
	return name + " is stopped by " + h.By + " " + until + ": " + h.Reason
}

// Of returns the stop of a capability that ends last.
func (j Judged) Of(capability string) (Held, bool) {
	var out Held
	for _, h := range j.Held {
		if h.Capability == capability && (out.ID == "" || h.Until.After(out.Until)) {
			out = h
		}
	}
	return out, out.ID != ""
}

// counted is a record whose signature counts.
type counted struct {
	Record
	id, by string
}

// Judge decides which stops hold. Every record that does not is named with the reason.
func Judge(c Case, all []Signed) (Judged, error) {
	out := Judged{Held: []Held{}, Ignored: []Ignored{}}
	lifted := map[string]string{}
	var stops []counted
	for _, s := range all {
		r, by, why := c.admit(s)
		switch {
		case why != "":
			out.Ignored = append(out.Ignored, Ignored{s.ID, r.Capability, why})
		case r.Decision == Lift:
			for _, id := range r.Lifts {
				lifted[r.Capability+"\x00"+id] = by
			}
		default:
			stops = append(stops, counted{r, s.ID, by})
		}
	}
	order.Sort(stops, func(a, b counted) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.id, b.id)) })
	for i, s := range stops {
		if by := lifted[s.Capability+"\x00"+s.id]; by != "" {
			out.Ignored = append(out.Ignored, Ignored{s.id, s.Capability, "lifted by " + by})
			continue
		}
		held, why, err := c.holds(s, ends(s, stops[:i]))
		if err != nil {
			return out, err
		}
		if why != "" {
			out.Ignored = append(out.Ignored, Ignored{s.id, s.Capability, why})
			continue
		}
		out.Held = append(out.Held, held)
	}
	return out, nil
}

// Refuses returns a record that has no effect whatever the others are, with the reason.
func (c Case) Refuses(s Signed) (Ignored, bool) {
	r, _, why := c.admit(s)
	return Ignored{s.ID, r.Capability, why}, why != ""
}

// admit says whose record it is, or why it has no effect.
func (c Case) admit(s Signed) (r Record, by, why string) {
	r, key, err := Open(s)
	id, known := c.Roles.ByKey(key)
	switch {
	//defence:stops-are-signed
	case err != nil:
		return r, "", err.Error()
	//defence:stops-name-their-workspace
	case r.Workspace != c.Workspace:
		return r, "", "it was signed for another workspace"
	//defence:stops-are-by-humans
	case !known || !c.Roles.Satisfies(id, policy.Human):
		return r, "", fmt.Sprintf("the key %s belongs to no human in %s", key, policy.RolesFile)
	case id.Expired(c.Now):
		return r, "", fmt.Sprintf("the entry of %s in %s has expired", id.Name, policy.RolesFile)
	case r.At.After(c.Now.Add(policy.ClockSkew)):
		return r, "", fmt.Sprintf("it is dated %s, after the clock here", r.At.Format(time.RFC3339))
	}
	return r, id.Name, ""
}

// ends is when a stop ends by itself: earlier than it says where the same human used up
// their time. Earlier stops count with their signed lengths, lifted or not, so that lifting
// and stopping again gains nothing.
func ends(s counted, before []counted) time.Time {
	left := budget
	for _, b := range before {
		if b.by == s.by && b.Capability == s.Capability && b.At.After(s.At.Add(-window)) {
			left -= b.Until.Sub(b.At)
		}
	}
	//defence:stops-are-not-renewed-for-ever
	if end := s.At.Add(max(left, 0)); end.Before(s.Until) {
		return end
	}
	return s.Until
}

// holds decides about one stop: it has not ended, or a proposal that was open when it ended
// still is.
func (c Case) holds(s counted, until time.Time) (held Held, why string, err error) {
	held = Held{Capability: s.Capability, ID: s.id, By: s.by, Reason: s.Reason, At: s.At, Until: until}
	if c.Now.Before(until) {
		return held, "", nil
	}
	why = "it ended at " + until.Format(time.RFC3339)
	if until.Before(s.Until) {
		why += fmt.Sprintf(", because %s stopped it for %d days within %d", s.by, budget/(24*time.Hour), window/(24*time.Hour))
	}
	if c.Proposals == nil || c.Now.After(s.At.Add(forLong)) {
		return held, why, nil
	}
	open, err := c.Proposals(s.Capability)
	if err != nil {
		return held, why, err
	}
	for _, p := range open {
		if !p.Opened.After(until.Add(policy.ClockSkew)) {
			held.Proposal = p.ID
			return held, "", nil
		}
	}
	return held, why, nil
}
