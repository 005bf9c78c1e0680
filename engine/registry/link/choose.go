package link

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/resolution"
)

// Candidate is a capability that may be linked.
type Candidate struct {
	Name    string
	Kind    capability.Kind
	Version capability.Version
	Path    string
	// Blob is the tree of its folder.
	Blob string
	// Resolution says how it did, in all and for the mission's tags.
	Resolution resolution.Scored
	// Rate is the share of successes by which a skill is dropped: with the mission's model where
	// that was tried, else in all; nil where nothing was tried.
	Rate *float64
	// Unusable is the reason why it cannot be used now; empty if it can.
	Unusable string
	// Tokens is its size in a prompt, including Listed for its name and description.
	Tokens, Listed int
	// Explore names the signature that it implements, if it may be tried in place of another
	// implementation; empty if a use has effects outside, or may have.
	Explore string
	// Models are those that a skill is for; all if it names none. Replaces is the skill that it is linked in place of.
	Models   []string
	Replaces string
	// Optional are used if they are there.
	Requires, Optional []string
}

// Found is a candidate for a step. Share is the answered share of the step's words, from 0
// to 1.
type Found struct {
	Candidate
	Share float64
}

// Need is a step with its candidates.
type Need struct {
	Step string
	// Found are the answers of the search, the best first.
	Found []Found
}

// World looks up capabilities in force. Known is false for an unknown name.
type World interface {
	Named(name string) (c Candidate, known bool, err error)
	// Applying returns the capabilities that are linked whenever name is: skills that apply to it,
	// and those that enhance it.
	Applying(name string) ([]Candidate, error)
	// Variants returns other forms of a skill, which are for some models.
	Variants(name string) ([]Candidate, error)
}

// Limits bound a link.
type Limits struct {
	// Each is how many capabilities a step has at most.
	Each int
	// Budget is how many tokens the link may have; 0 for no bound.
	Budget int
	// Enough is the least share that serves a step.
	Enough float64
	// Model is the model that does the mission; empty if it is not known.
	Model string
	// Seed is the mission's id, by which implementations are explored; empty explores none.
	Seed string
}

const (
	// Nearly is the part of the largest share already taken that an answer must have.
	Nearly = 0.7
	// poorRate is the share of successes at which a skill is dropped.
	poorRate = 0.5
)

// Linked is a capability that the mission is given.
type Linked struct {
	Candidate
	// Steps are the numbers of the steps that it serves, from 1. It is empty for one that another
	// requires, or that applies to another one; then For names that.
	Steps []int
	For   string
	// Visible is set if the agent sees it. One that is only required is not visible.
	Visible bool
	// Share is that of the first step that it serves.
	Share float64
}

// Gap is a step without a serving capability. Nearest is the closest candidate, if there is one.
type Gap struct {
	Step    int
	Text    string
	Nearest string
	Share   float64
}

// Aside is a capability that was not linked, and why.
type Aside struct {
	Name string
	Step int
	Why  string
	// Missing is what it requires, directly or through others, and is not in force; else empty.
	Missing string
}

// Link is the result for a mission. Repair are those that would have been linked if they could be
// used. Linked is in order: requirements come before those that require them.
type Link struct {
	Gaps    []Gap
	Repair  []Aside
	Linked  []Linked
	LeftOut []Aside
	// Draws are those by which implementations were explored.
	Draws  []Draw
	Tokens int
}

// Choose links a mission.
func Choose(needs []Need, w World, l Limits) (Link, error) {
	c := chooser{world: w, limits: l}
	for i, n := range needs {
		if err := c.step(i+1, n); err != nil {
			return Link{}, err
		}
	}
	return c.out, nil
}

type chooser struct {
	world  World
	limits Limits
	out    Link
	// missing is the requirement that the last closure lacked; empty if it lacked none.
	missing string
}

// step links the capabilities that serve one step.
func (c *chooser) step(number int, n Need) error {
	ranked, err := c.fitting(n.Found, number)
	if err != nil {
		return err
	}
	order.Stable(ranked, func(a, b Found) int {
		return cmp.Compare(b.rank(), a.rank()) // equal ones stay in the order of the search
	})
	c.explore(ranked, number)
	least, served := c.limits.Enough, 0
	for _, f := range ranked {
		why := ""
		c.missing = ""
		switch {
		case f.Share < least:
			continue
		case f.Unusable != "":
			c.out.Repair = append(c.out.Repair, Aside{Name: f.Name, Step: number, Why: f.Unusable})
			continue
		case f.dropped():
			why = fmt.Sprintf("its share of successes is %.2f", *f.Rate)
		case served >= c.limits.Each:
			why = fmt.Sprintf("the step has %d already", served)
		}
		if why == "" {
			if why, err = c.link(f, number); err != nil {
				return err
			}
		}
		if why != "" {
			c.out.LeftOut = append(c.out.LeftOut, Aside{f.Name, number, why, c.missing})
			continue
		}
		served++
		least = max(least, Nearly*f.Share)
	}
	if served == 0 {
		gap := Gap{Step: number, Text: n.Step}
		if len(ranked) > 0 {
			nearest := slices.MaxFunc(ranked, func(a, b Found) int { return cmp.Compare(a.Share, b.Share) })
			gap.Nearest, gap.Share = nearest.Name, nearest.Share
		}
		c.out.Gaps = append(c.out.Gaps, gap)
	}
	return nil
}

// fit replaces a skill by its variant for the mission's model; why is set for a skill that is for other models.
func (c *chooser) fit(f *Candidate, step int) (why string, err error) {
	if !capability.ForModel(f.Models, c.limits.Model) {
		return "it is for the models " + strings.Join(f.Models, ", "), nil
	}
	if f.Kind != capability.KindSkill || c.limits.Model == "" || len(f.Models) > 0 || f.Unusable != "" { // a stop holds for each model
		return "", nil
	}
	variants, err := c.world.Variants(f.Name)
	for _, v := range variants {
		if capability.ForModel(v.Models, c.limits.Model) && v.Unusable == "" && !v.dropped() {
			if a := (Aside{Name: f.Name, Step: step, Why: v.Name + " stands in for it with the model " + c.limits.Model}); !slices.Contains(c.out.LeftOut, a) {
				c.out.LeftOut = append(c.out.LeftOut, a)
			}
			v.Replaces = f.Name
			*f = v
			break
		}
	}
	return "", err //nolint:wrapcheck // it names the capability
}

// named looks up what another capability needs, in the form for the mission's model; other is set for one that is for other
// models.
func (c *chooser) named(name string, step int) (r Candidate, known bool, other string, err error) {
	r, known, err = c.world.Named(name)
	if err == nil && known {
		other, err = c.fit(&r, step)
	}
	return r, known, other, err //nolint:wrapcheck // it names the capability
}

// fitting replaces the answers that serve a step by their variants for the mission's model. Each appears once, with its largest
// share.
func (c *chooser) fitting(found []Found, step int) (out []Found, err error) {
	for _, f := range found {
		if f.Share >= c.limits.Enough {
			why, err := c.fit(&f.Candidate, step)
			if err != nil {
				return nil, err
			}
			if why != "" {
				c.out.LeftOut = append(c.out.LeftOut, Aside{Name: f.Name, Step: step, Why: why})
				continue
			}
		}
		if at := slices.IndexFunc(out, func(o Found) bool { return o.Name == f.Name }); at >= 0 {
			out[at].Share = max(out[at].Share, f.Share)
			continue
		}
		out = append(out, f)
	}
	return out, nil
}

// rank prefers the better performing of two that match as well.
func (f Found) rank() float64 { return f.Share * max(0, f.Resolution.Score) }

// dropped reports whether a skill fails too often.
func (c Candidate) dropped() bool {
	return c.Kind == capability.KindSkill && c.Rate != nil && *c.Rate <= poorRate
}

// link takes a capability with all that it requires and those that apply to it; why is set where
// it cannot be taken.
func (c *chooser) link(f Found, step int) (why string, err error) {
	for i, known := range c.out.Linked {
		if known.Name == f.Name {
			if why := c.exceeds(f.Tokens); !known.Visible && why != "" {
				return why, nil
			} else if !known.Visible {
				c.out.Tokens += f.Tokens
			}
			l := &c.out.Linked[i]
			if len(l.Steps) == 0 { // another one required it until now
				l.For, l.Share = "", f.Share
			}
			l.Steps, l.Visible = append(l.Steps, step), true
			return "", c.applying(f.Candidate, step)
		}
	}
	group, why, err := c.closure(Linked{Candidate: f.Candidate, Steps: []int{step}, Visible: true, Share: f.Share}, step)
	if err != nil || why != "" {
		return why, err
	}
	if why = c.take(group); why != "" {
		return why, nil
	}
	return "", c.applying(f.Candidate, step)
}

// applying links the capabilities that apply to a linked one, or to what it replaces.
func (c *chooser) applying(to Candidate, step int) error {
	found, err := c.world.Applying(to.Name)
	if err == nil && to.Replaces != "" {
		var more []Candidate
		more, err = c.world.Applying(to.Replaces)
		found = append(found, more...)
	}
	if err != nil {
		return err
	}
	for _, s := range found {
		c.missing = ""
		why, err := c.apply(s, to.Name, step)
		if err != nil {
			return err
		}
		if why != "" {
			c.out.LeftOut = append(c.out.LeftOut, Aside{s.Name, step, why, c.missing})
		}
	}
	return nil
}

// apply takes a capability that applies to a linked one.
func (c *chooser) apply(s Candidate, to string, step int) (why string, err error) {
	if why, err = c.fit(&s, step); err != nil || why != "" {
		return why, err
	}
	switch {
	case c.has(s.Name):
		return "", nil
	case s.Unusable != "":
		return s.Unusable, nil
	case s.dropped():
		return fmt.Sprintf("its share of successes is %.2f", *s.Rate), nil
	}
	group, why, err := c.closure(Linked{Candidate: s, For: to, Visible: true}, step)
	if err != nil || why != "" {
		return why, err
	}
	return c.take(group), nil
}

// take links a group if the budget allows, and else says that it does not.
func (c *chooser) take(group []Linked) (why string) {
	tokens := 0
	for _, l := range group {
		if l.Visible {
			tokens += l.Tokens
		}
	}
	if why = c.exceeds(tokens); why == "" {
		c.out.Linked, c.out.Tokens = append(c.out.Linked, group...), c.out.Tokens+tokens
	}
	return why
}

func (c *chooser) exceeds(tokens int) string {
	if c.limits.Budget > 0 && c.out.Tokens+tokens > c.limits.Budget {
		return fmt.Sprintf("its %d tokens exceed the budget", tokens)
	}
	return ""
}

func (c *chooser) has(name string) bool {
	return slices.ContainsFunc(c.out.Linked, func(l Linked) bool { return l.Name == name })
}

// closure is a capability after all that it requires and that is not linked yet, and after the
// optional ones that can be used; why is set where something required is not in force, cannot be
// used, or requires itself.
func (c *chooser) closure(top Linked, step int) (group []Linked, why string, err error) {
	state := map[string]int{}    // 1 while its requirements are visited, 2 afterwards
	without := map[string]bool{} // optional ones that cannot be taken
	var visit func(l Linked) error
	visit = func(l Linked) error {
		state[l.Name] = 1
		for _, name := range l.Requires {
			r, known, other, err := c.named(name, step)
			switch {
			case err != nil:
				return err
			case other != "":
				why = fmt.Sprintf("%s requires %s: %s", l.Name, r.Name, other)
			case !known:
				why, c.missing = fmt.Sprintf("%s requires %s, which is not in force", l.Name, name), name
			case r.Unusable != "":
				why = fmt.Sprintf("%s requires %s: %s", l.Name, r.Name, r.Unusable)
			case state[r.Name] == 1:
				why = fmt.Sprintf("%s and %s require each other", l.Name, r.Name)
			case state[r.Name] == 0 && !c.has(r.Name):
				err = visit(Linked{Candidate: r, For: l.Name})
			}
			if err != nil || why != "" {
				return err
			}
		}
		for _, name := range l.Optional {
			r, known, other, err := c.named(name, step)
			if err != nil {
				return err
			}
			if !known || other != "" || r.Unusable != "" || state[r.Name] != 0 || without[r.Name] || c.has(r.Name) {
				continue
			}
			before, length := maps.Clone(state), len(group)
			if err := visit(Linked{Candidate: r, For: l.Name}); err != nil {
				return err
			}
			if why != "" {
				state, group, why, c.missing = before, group[:length], "", ""
				without[r.Name] = true
			}
		}
		state[l.Name] = 2
		group = append(group, l)
		return nil
	}
	err = visit(top)
	return group, why, err
}
