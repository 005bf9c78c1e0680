package hosted_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/hosted"
)

// told is a service that reports the pushes to a branch with a delay: each look reports
// more, until all are reported.
type told struct {
	host.Host
	looks *[][]host.Push
}

func (s told) Pushes(_ context.Context, branch string) ([]host.Push, error) {
	if branch != "inbox/scout/hum" {
		return nil, nil
	}
	now := (*s.looks)[0]
	if len(*s.looks) > 1 {
		*s.looks = (*s.looks)[1:]
	}
	return now, nil
}

// TestWhoPushed: everyone who pushed to the inbox counts, up to its last deletion before.
// Pushes that the service does not report yet are asked for again. A push that it never
// reports is by an unknown actor.
func TestWhoPushed(t *testing.T) {
	w := newWorld(t)
	one, two, gone := tree.BlobHash([]byte("one")), tree.BlobHash([]byte("two")), tree.Hash{}
	push := func(login string, to tree.Hash) host.Push { return host.Push{Login: login, New: to, At: epoch} }
	for name, c := range map[string]struct {
		looks [][]host.Push
		want  []string
		waits int
	}{
		"one":                       {[][]host.Push{{push("bob", two)}}, []string{"bob"}, 0},
		"all of them":               {[][]host.Push{{push("jochi", one), push("bob", two), push("Bob", one), push("bob", two)}}, []string{"bob", "jochi"}, 0},
		"of this branch":            {[][]host.Push{{push("jochi", one), push("kublai", gone), push("bob", two)}}, []string{"bob"}, 0},
		"removed already":           {[][]host.Push{{push("bob", two), push("kublai", gone)}}, []string{"bob"}, 0},
		"twice, removed in between": {[][]host.Push{{push("bob", two), push("bob", gone), push("scout", two)}}, []string{"bob", "scout"}, 0},
		"moved on":                  {[][]host.Push{{push("bob", two), push("jochi", one)}}, []string{"bob"}, 0},
		"told late":                 {[][]host.Push{{}, {push("", two)}, {push("bob", two)}}, []string{"bob"}, 2},
		"hidden":                    {[][]host.Push{{push("jochi", one), push("", two)}}, []string{"", "jochi"}, hosted.Patience},
		"never there":               {[][]host.Push{{push("bob", one)}}, []string{""}, hosted.Patience},
	} {
		t.Run(name, func(t *testing.T) {
			waits := 0
			f := hosted.New(w.clone, "origin", told{w.as("kublai"), &c.looks}, syncOf(w.clone))
			hosted.Waiting(f, func() { waits++ })
			service, by, err := f.WhoPushed(t.Context(), "inbox/scout/hum", two)
			must(t, err)
			var got []string
			for _, a := range by {
				got = append(got, a.Login)
			}
			if diff := cmp.Diff(c.want, got); diff != "" || service != "gitea" || waits != c.waits {
				t.Errorf("%s, waited %d times, want %d (-want +got)\n%s", service, waits, c.waits, diff)
			}
		})
	}
	// A pass that waited in vain does not use up the patience of the next one.
	waits := 0
	f := hosted.New(w.clone, "origin", told{w.as("kublai"), &[][]host.Push{{}}}, syncOf(w.clone))
	hosted.Waiting(f, func() { waits++ })
	for range 2 {
		_, _, err := f.WhoPushed(t.Context(), "inbox/scout/hum", two)
		must(t, err)
	}
	must(t, f.Tend(t.Context()))
	if _, _, err := f.WhoPushed(t.Context(), "inbox/scout/hum", two); err != nil || waits != 2*hosted.Patience {
		t.Errorf("waited %d times in two passes, %v", waits, err)
	}
	_, by, err := w.forge(w.clone, "kublai").WhoPushed(t.Context(), "inbox/scout/hum", two)
	must(t, err)
	if diff := cmp.Diff([]forge.Actor{{}}, by); diff != "" {
		t.Errorf("a service that tells nothing (-want +got)\n%s", diff)
	}
}
