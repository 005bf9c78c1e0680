package conflict

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/format/capability"
)

// TestFind: opposite demands about the same words clash; demands that differ in their object, their
// condition or their readers do not.
func TestFind(t *testing.T) {
	plain := func(name, body string) Skill { return Skill{Name: name, Body: body} }
	for name, c := range map[string]struct {
		a, b Skill
		want string
	}{
		"always and never":  {plain("a", "Always commit the lockfile."), plain("b", "Never commit a lockfile."), "a b 1 1"},
		"must and must not": {plain("a", "# T\n\nYou must squash commits, it keeps history short."), plain("b", "- **You must not** squash commits.\n"), "a b 3 1"},
		"do not":            {plain("a", "Tests should always mock the network."), plain("b", "Hello.\n\nDon't mock the network (in tests)."), ""},
		"do not, the same":  {plain("a", "Always mock the network."), plain("b", "Hello.\nDon't mock the network (it lies)."), "a b 1 1"},
		"several": {
			plain("a", "Always squash commits.\n\nNever push to main."), plain("b", "Never squash commits.\n\nAlways push to main."), "a b 1 1 3 3"},
		"another order":         {plain("a", "Always sign release tags."), plain("b", "Never sign tags of a release"), "a b 1 1"},
		"the same":              {plain("a", "Never push to main."), plain("b", "Never push to main."), ""},
		"a condition":           {plain("a", "Always push to main when the tests pass."), plain("b", "Never push to main."), ""},
		"a condition first":     {plain("a", "When the tests pass, always push to main."), plain("b", "Never push to main."), ""},
		"a condition last":      {plain("a", "Always push to main."), plain("b", "Never push to main, unless asked."), ""},
		"before and after":      {plain("a", "Always run tests before a commit."), plain("b", "Never run tests after a commit."), ""},
		"without":               {plain("a", "Always ask the user before payments."), plain("b", "Never start payments without asking the user."), ""},
		"another object":        {plain("a", "Always commit tests."), plain("b", "Never commit secrets."), ""},
		"one word":              {plain("a", "Always commit."), plain("b", "Never commit."), ""},
		"a question":            {plain("a", "Must we squash commits?"), plain("b", "Never squash commits."), ""},
		"a list":                {plain("a", "Always use this skill when:\n- x"), plain("b", "Do not use this skill when:\n- y"), ""},
		"code":                  {plain("a", "```\nAlways squash commits.\n```"), plain("b", "Never squash commits."), ""},
		"a heading and a table": {plain("a", "# Always squash commits\n| always squash commits |"), plain("b", "Never squash commits."), ""},
		"in one skill":          {plain("a", "Always squash commits.\n\nNever squash commits."), plain("b", "x"), ""},
		"apart by tool": {
			Skill{Name: "a", AppliesTo: []string{"git"}, Body: "Always squash commits."}, Skill{Name: "b", AppliesTo: []string{"hg"}, Body: "Never squash commits."}, ""},
		"the same tool": {
			Skill{Name: "a", AppliesTo: []string{"git-it"}, Body: "Always squash commits."}, Skill{Name: "b", AppliesTo: []string{"git_it", "hg"}, Body: "Never squash commits."}, "a b 1 1"},
		"apart by agent": {
			Skill{Name: "a", Agents: capability.Agents{Allow: []string{"ann"}}, Body: "Always squash commits."},
			Skill{Name: "b", Agents: capability.Agents{Allow: []string{"ben"}}, Body: "Never squash commits."}, ""},
		"apart by models": {
			Skill{Name: "a", Models: []string{"small-*", "tiny"}, Body: "Always squash commits."}, Skill{Name: "b", Models: []string{"large-*"}, Body: "Never squash commits."}, ""},
		"one model in common": {
			Skill{Name: "a", Models: []string{"small-*"}, Body: "Always squash commits."}, Skill{Name: "b", Models: []string{"small-2", "large"}, Body: "Never squash commits."}, "a b 1 1"},
		"a variant": {
			Skill{Name: "a", Models: []string{"small-*"}, Implements: "b", Body: "Always squash commits."}, plain("b", "Never squash commits."), ""},
		"for some models, of another skill": {
			Skill{Name: "a", Models: []string{"small-*"}, Implements: "c", Body: "Always squash commits."}, plain("b", "Never squash commits."), "a b 1 1"},
		"applies to what is forbidden": {
			Skill{Name: "b", AppliesTo: []string{"parse-csv"}, Body: "Mind the quotes."}, plain("a", "Never use `parse_csv`."), "a b 0 1"},
		"applies to what is limited": {
			Skill{Name: "b", AppliesTo: []string{"parse-csv"}, Body: "Mind the quotes."}, plain("a", "Never use parse_csv on large files."), ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, clash := range Find([]Skill{c.b, c.a}) {
				line := clash.A + " " + clash.B
				for _, p := range clash.Points {
					line += fmt.Sprint(" ", p.Demands.Line, " ", p.Forbids.Line)
				}
				got = append(got, line)
			}
			if have := strings.Join(got, "; "); have != c.want {
				t.Errorf("%q, want %q: %+v %+v", have, c.want, Demands(c.a.Body), Demands(c.b.Body))
			}
		})
	}
}

// TestManyDemands: a long text has a bounded number of demands, and repeated ones count once.
func TestManyDemands(t *testing.T) {
	var b strings.Builder
	for i := range 1_000 {
		fmt.Fprintf(&b, "Always sign tag %d. Never sign tags of old releases. ", i)
	}
	if n := len(Demands(b.String())); n != maxDemands {
		t.Errorf("%d demands", n)
	}
	if n := len(Demands(strings.Repeat("Always sign release tags. ", 1000))); n != 1 {
		t.Errorf("%d demands", n)
	}
}
