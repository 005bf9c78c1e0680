package maintain_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/audit/maintain"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

func TestDecide(t *testing.T) {
	hub := maintain.Observation{Keeps: true, Format: 1, Standing: 3}
	old, clone, hosted := hub, hub, hub
	agreed := hub
	agreed.Follows, agreed.Agreed = true, true
	old.Format, clone.Follows, hosted.Keeps = 0, true, false
	crowded := hub
	crowded.Clutter = gitstore.Clutter{Packs: 33, LooseRefs: 513}
	for name, c := range map[string]struct {
		seen                      maintain.Observation
		here                      bool
		folds, drops, repack, why string
	}{
		"the hub":                {seen: hub, folds: "all", drops: "all"},
		"before formats":         {seen: old, drops: "all", why: "assent migrate"},
		"a clone":                {seen: clone, drops: "all", why: "another repository"},
		"a clone that was asked": {seen: clone, here: true, folds: "all", drops: "all"},
		"an old clone, asked":    {seen: func() maintain.Observation { o := old; o.Follows = true; return o }(), here: true, drops: "all", why: "assent migrate"},
		"a service":              {seen: agreed, folds: "all", drops: "all"},
		"a service, logged out":  {seen: hosted, why: "there is no login"},
		"a crowd":                {seen: crowded, folds: "all", drops: "all", repack: "yes"},
	} {
		p := maintain.Decide(c.seen, c.here)
		got := []bool{p.Fold > 0, p.Drop > 0, p.Unite, p.Repack, p.PackRefs, strings.Contains(p.NoFold, c.why) && (p.NoFold == "") == (c.why == "")}
		want := []bool{c.folds != "", c.drops != "", c.drops != "", c.repack != "", c.repack != "", true}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: fold, drop, unite, repack, pack refs, why (-want +got)\n%s%+v", name, diff, p)
		}
	}
}

func TestDecideByTheWay(t *testing.T) {
	for _, c := range []struct {
		seen maintain.Observation
		want maintain.Plan
	}{
		{maintain.Observation{Keeps: true, Format: 1, Standing: 512}, maintain.Plan{}},
		{maintain.Observation{Keeps: true, Format: 1, Standing: 513}, maintain.Plan{Fold: 512, Drop: 512}},
		{maintain.Observation{Keeps: true, Format: 0, Standing: 513}, maintain.Plan{}},
		{maintain.Observation{Keeps: true, Format: 1, Standing: 513, Follows: true}, maintain.Plan{}},
		{maintain.Observation{Format: 1, Standing: 513}, maintain.Plan{}},
	} {
		if diff := cmp.Diff(c.want, maintain.DecideByTheWay(c.seen)); diff != "" {
			t.Errorf("%+v (-want +got)\n%s", c.seen, diff)
		}
	}
}
