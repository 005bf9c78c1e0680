package followup

import (
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/index"
)

func entry(name string, kind capability.Kind, set func(*index.Entry)) index.Entry {
	e := index.Entry{Folder: capability.FolderOf("skills/" + name), Kind: kind, Status: capability.Active, Version: "1.0.0"}
	if set != nil {
		set(&e)
	}
	return e
}

func tool(name, supersedes string, status capability.Status) index.Entry {
	return entry(name, capability.KindTool, func(e *index.Entry) { e.Supersedes, e.Status = supersedes, status })
}

func skill(name string, appliesTo ...string) index.Entry {
	return entry(name, capability.KindSkill, func(e *index.Entry) { e.AppliesTo = appliesTo })
}

// Which entries cause a question, and which do not.
func TestDecide(t *testing.T) {
	fading := skill("advice", "peel")
	fading.Status = capability.Deprecated
	unbuilt := tool("peel-2", "peel", capability.Active)
	unbuilt.SpecOnly = true
	for name, c := range map[string]struct {
		all  []index.Entry
		want string // skill target repair by, of each
	}{
		"a repair":                      {[]index.Entry{tool("peel", "", capability.Active), tool("peel-2", "peel", capability.Active), skill("advice", "peel")}, "advice peel peel-2 "},
		"the old one is gone":           {[]index.Entry{tool("peel-2", "peel", capability.Active), skill("advice", "peel")}, "advice peel peel-2 "},
		"another spelling":              {[]index.Entry{tool("peel-2", "peel", capability.Active), skill("advice", "Peel")}, "advice Peel peel-2 "},
		"not active yet":                {[]index.Entry{tool("peel-2", "peel", capability.Testing), skill("advice", "peel")}, ""},
		"nothing that can be called":    {[]index.Entry{unbuilt, skill("advice", "peel")}, ""},
		"a text in place of a text":     {[]index.Entry{entry("peel-2", capability.KindSkill, func(e *index.Entry) { e.Supersedes = "peel" }), skill("advice", "peel")}, ""},
		"the skill knows the repair":    {[]index.Entry{tool("peel-2", "peel", capability.Active), skill("advice", "peel", "peel-2")}, ""},
		"the skill is on its way out":   {[]index.Entry{tool("peel-2", "peel", capability.Active), fading}, ""},
		"by way of another":             {[]index.Entry{tool("peel-2", "peel", capability.Deprecated), tool("peel-3", "peel-2", capability.Active), skill("advice", "peel")}, "advice peel peel-3 peel-2"},
		"the nearest one":               {[]index.Entry{tool("peel-2", "peel", capability.Active), tool("peel-3", "peel-2", capability.Active), skill("advice", "peel")}, "advice peel peel-2 "},
		"a circle":                      {[]index.Entry{tool("peel", "peel-2", capability.Deprecated), tool("peel-2", "peel", capability.Deprecated), skill("advice", "peel")}, ""},
		"two repairs of what it needs":  {[]index.Entry{tool("peel-2", "peel", capability.Active), tool("cut-2", "cut", capability.Active), skill("advice", "peel", "cut")}, "advice peel peel-2 ;advice cut cut-2 "},
		"many skills":                   {[]index.Entry{tool("peel-2", "peel", capability.Active), skill("advice", "peel"), skill("basics", "peel")}, "advice peel peel-2 ;basics peel peel-2 "},
		"a skill that applies to other": {[]index.Entry{tool("peel-2", "peel", capability.Active), skill("advice", "cut")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, q := range decide(c.all) {
				got = append(got, strings.Join([]string{q.Skill.Name, q.Target, q.Repair.Name, strings.Join(q.By, ",")}, " "))
			}
			if have := strings.Join(got, ";"); have != c.want {
				t.Errorf("%q, want %q", have, c.want)
			}
		})
	}
}

// The id is of the repair and the skill: other versions of both ask nothing new.
func TestID(t *testing.T) {
	q := Question{Skill: skill("advice", "peel"), Repair: tool("peel-2", "peel", capability.Active)}
	later := q
	later.Repair.Version, later.Skill.Version = "2.4.0", "3.0.0"
	other := q
	other.Repair = tool("peel-3", "peel", capability.Active)
	if ids := []string{q.ID(), later.ID(), other.ID()}; ids[0] != ids[1] || ids[0] == ids[2] || !strings.HasPrefix(ids[0], "archive-advice-") || slices.Contains(ids, "") {
		t.Error(ids)
	}
}
