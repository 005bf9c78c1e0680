package notify

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/flows/notice"
)

// Targets reads the targets of notify.yaml; without the file there are none.
func (b Box) Targets() ([]notice.Target, diag.List, error) {
	src, file, ok, err := b.Config()
	if err != nil || !ok {
		return nil, nil, err
	}
	targets, diags := notice.Parse(file, src)
	return targets, diags, nil
}

// Failures lists the notices that were not delivered and will be tried again.
func (b Box) Failures() ([]Delivery, error) {
	m, err := b.read()
	var out []Delivery
	for _, key := range slices.Sorted(maps.Keys(m.Entries)) {
		if e := m.Entries[key]; e.State == failed && e.Due != nil {
			out = append(out, Delivery{Target: e.Target, Notice: *e.Due, Error: e.Error, Attempts: e.Attempts, Held: e.Attempts == 0})
		}
	}
	return out, err
}

// Outage is a target that did not take some notices, which are kept for it.
type Outage struct {
	Target string `json:"target"`
	// Notices is their number, About what the first of them are about.
	Notices int      `json:"notices"`
	About   []string `json:"about"`
	Error   string   `json:"error"`
	// Next is the time from which a later command tries again.
	Next time.Time `json:"next"`
}

// named limits Outage.About.
const named = 3

// Outages lists the outages of these targets, by name.
func (b Box) Outages(targets []notice.Target) ([]Outage, error) {
	m, err := b.read()
	if err != nil {
		return nil, err
	}
	by := map[string]Outage{}
	var failures []entry
	for _, e := range m.Entries {
		if e.State == failed && e.Due != nil && slices.ContainsFunc(targets, func(t notice.Target) bool { return t.Name == e.Target }) {
			failures = append(failures, e)
		}
	}
	order.Sort(failures, func(a, b entry) int {
		return cmp.Or(a.Due.At.Compare(b.Due.At), cmp.Compare(a.about(), b.about()))
	})
	for _, e := range failures {
		o := by[e.Target]
		if o.Target, o.Notices = e.Target, o.Notices+1; len(o.About) < named {
			o.About = append(o.About, e.about())
		}
		o.Error = cmp.Or(o.Error, e.Error)
		if next := e.At.Add(backoff(e.Attempts)); o.Next.IsZero() || next.Before(o.Next) {
			o.Next = next
		}
		if f, fails := m.Failing[e.Target]; fails {
			o.Error, o.Next = f.Error, f.next()
		}
		by[e.Target] = o
	}
	out := slices.Collect(maps.Values(by))
	order.Sort(out, func(a, b Outage) int { return cmp.Compare(a.Target, b.Target) })
	return out, nil
}

// about names the proposal or run of an entry.
func (e entry) about() string { return cmp.Or(e.Proposal, e.Due.Of, e.Event) }

// String names the target, the notices that it did not take, and the error.
func (o Outage) String() string {
	about := strings.Join(o.About, ", ")
	if more := o.Notices - len(o.About); more > 0 {
		about += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("%s was not notified of %s: %s", o.Target, about, o.Error)
}

// Fix says how the target is mended, and when it is tried again without that.
func (o Outage) Fix() string {
	return fmt.Sprintf("%s is tried again by the first command after %s; sooner: mend it in %s, then assent notify test %s, and assent notify send",
		o.Target, o.Next.UTC().Format("2006-01-02 15:04 UTC"), ConfigFile, names.ShellWord(o.Target))
}

// backoff returns the delay after the given number of failed tries.
func backoff(tries int) time.Duration {
	if tries == 0 {
		return 0
	}
	return min(time.Minute<<min(tries-1, 10), time.Hour)
}
