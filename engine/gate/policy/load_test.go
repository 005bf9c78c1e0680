package policy_test

import (
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// TestLoadReports puts a broken file in the place of a good one and looks for
// rule and line.
func TestLoadReports(t *testing.T) {
	key := "SHA256:" + strings.Repeat("A", 43)
	for name, c := range map[string]struct{ path, text, want string }{
		"name":             {policy.RolesFile, "people:\n  Ann: {}\n", "2:3: error: \"Ann\" is no name"},
		"person and agent": {policy.RolesFile, "people: {ann: {}}\nagents:\n  ann: {}\n", "3:3: error: \"ann\" is both"},
		"shared key":       {policy.RolesFile, "people:\n  ann: {keys: [\"" + key + "\"]}\nagents:\n  bot: {keys: [\"" + key + "\"]}\n", "[policy-shared]"},
		"shared e-mail":    {policy.RolesFile, "people:\n  ann: {emails: [a@x.org]}\n  bob: {emails: [A@X.org]}\n", "3:18: error: ann already lists"},
		"shared login":     {policy.RolesFile, "people:\n  ann: {logins: {github: a}}\n  bob: {logins: {github: A}}\n", "[policy-shared]"},
		"bad key":          {policy.RolesFile, "people:\n  ann: {keys: [ssh-ed25519 AAAA]}\n", "[policy-key]"},
		"key with options": {policy.RolesFile, "people:\n  ann: {keys: ['command=\"x\" ssh-ed25519 AAAA']}\n", "[policy-key]"},
		"bad e-mail":       {policy.RolesFile, "people:\n  ann: {emails: [ann]}\n", "[policy-email]"},
		"unknown forge":    {policy.RolesFile, "people:\n  ann: {logins: {gitlab: ann}}\n", "[policy-name]"},
		"unknown role":     {policy.RolesFile, "people: {ann: {}}\nroles:\n  king: [ann]\n", "3:3: error: unknown role \"king\""},
		"unknown member":   {policy.RolesFile, "roles:\n  lead: [ann]\n", "2:10: error: \"ann\" is not in people"},
		"agent as human":   {policy.RolesFile, "agents: {bot: {}}\nroles:\n  human: [bot]\n", "3:11: error: \"bot\" is an agent"},
		"bad date":         {policy.RolesFile, "people: {ann: {until: tomorrow}}\n", "[policy-range]"},
		"unknown field":    {policy.RolesFile, "peple: {}\n", "[yaml-unknown]"},
		"not YAML":         {policy.RolesFile, "a: [\n", "[yaml-syntax]"},
		"tier missing":     {policy.ApprovalsFile, "tiers: {low: [], medium: [], high: []}\n", "the tier critical is missing"},
		"prohibited tier":  {policy.ApprovalsFile, "tiers: {low: [], medium: [], high: [], critical: [{role: human, count: 1}], prohibited: []}\n", "no requirements can be given"},
		"no human":         {policy.ApprovalsFile, "tiers: {low: [], medium: [], high: [], critical: [{role: lead, count: 1}]}\n", "critical changes need no human"},
		"no role":          {policy.ApprovalsFile, "tiers: {low: [{role: boss, count: 1}], medium: [], high: [], critical: [{role: human, count: 1}]}\n", "[policy-requirement]"},
		"no count":         {policy.ApprovalsFile, "tiers: {low: [{role: lead}], medium: [], high: [], critical: [{role: human, count: 1}]}\n", "0 approvals cannot"},
		"mode":             {policy.AutonomyFile, "default: free\n", "1:1: error: unknown mode"},
		"agent mode":       {policy.AutonomyFile, "agents:\n  bot: free\n", "2:3: error: unknown mode"},
		"proposal kind":    {policy.AutonomyFile, "kinds: {grow: manual}\n", "[policy-kind]"},
		"executable kind":  {policy.AutonomyFile, "executables: [binary]\n", "[policy-kind]"},
		"negative":         {policy.LimitsFile, "learned_per_agent: -1\n", "1:20: error: learned_per_agent must"},
		"length of time":   {policy.LimitsFile, "expiry: 1w\n", "is no length of time"},
		"no time at all":   {policy.LimitsFile, "expiry: 0s\n", "[policy-range]"},
		"not a number":     {policy.LimitsFile, "cost_per_session: .nan\n", "1:19: error"},
		"size":             {policy.LimitsFile, "file_bytes: 1TB\n", "is no size"},
		"pattern":          {policy.SecurityFile, "high:\n  - {match: '(', why: x}\n", "2:13: error: broken regular expression"},
		"empty pattern":    {policy.SecurityFile, "high:\n  - {match: 'a*', why: x}\n", "matches everything"},
		"no explanation":   {policy.SecurityFile, "high:\n  - {match: 'a'}\n", "no explanation"},
		"unless":           {policy.SecurityFile, "high:\n  - {match: 'a', why: x, unless: 'b'}\n", "only prohibited"},
		"waiver":           {policy.SecurityFile, "waivers:\n  - {rule: x, blob: abc}\n", "[policy-waiver]"},
		"attestations":     {policy.SecurityFile, "attestations: some\n", "unknown attestations"},
		"isolation":        {policy.SecurityFile, "sandbox: {isolation: maybe}\n", "unknown isolation"},
		"host":             {policy.SecurityFile, "sandbox: {hosts: [example.org]}\n", "[policy-host]"},
		"retention":        {policy.RetentionFile, "unused: 0d\n", "[policy-range]"},
		"summaries":        {policy.RetentionFile, "trials: {summaries: long}\n", "[policy-mode]"},
		"writer":           {policy.RetentionFile, "trials: {writers: {ana: '123'}}\n", "[policy-key]"},
		"writer's name":    {policy.RetentionFile, "trials: {writers: {Ana: 0123456789abcdef0123456789abcdef01234567}}\n", "[policy-name]"},
		"gap's name":       {policy.GapsFile, "patterns: [{match: a, in: words, type: tool, name: A B, purpose: x}]\n", "[policy-name]"},
		"gap's type":       {policy.GapsFile, "patterns: [{match: a, in: words, type: robot, name: a, purpose: x}]\n", "[policy-kind]"},
		"gap's part":       {policy.GapsFile, "patterns: [{match: a, in: tree, type: tool, name: a, purpose: x}]\n", "[policy-kind]"},
		"gap's purpose":    {policy.GapsFile, "patterns: [{match: a, in: words, type: tool, name: a}]\n", "no purpose"},
		"gap's trigger":    {policy.GapsFile, "patterns: [{match: a, in: words, type: skill, name: a, purpose: x}]\n", "no trigger"},
		"other's trigger":  {policy.GapsFile, "patterns: [{match: a, in: words, type: tool, name: a, purpose: x, trigger: y}]\n", "only for the type skill"},
		"gap's pattern":    {policy.GapsFile, "patterns: [{match: '(', in: words, type: tool, name: a, purpose: x}]\n", "broken regular expression"},
		"switch":           {policy.GapsFile, "failures: 3\nenabled: maybe\n", "gaps.yaml:2:10: error"},
		"preference":       {policy.GapsFile, "prefer_skills: skill\n", "[yaml-type]"},
		"language":         {policy.GapsFile, "enabled: true\nmcp_language: rust\n", "gaps.yaml:2:15: error: there is no template of a server in \"rust\""},
		"all failures":     {policy.GapsFile, "failures: 30\n", "never have more"},
		"short expiry":     {policy.LimitsFile, "expiry: 5s\n", "expiry must lie between 1m and 366d"},
		"many proposals":   {policy.LimitsFile, "synthesised_per_workspace: 2000000\n", "must lie between 0 and 1000000"},
		"format zero":      {policy.WorkspaceFile, "format: 0\n", "1:9: error: format must lie between"},
		"no format":        {policy.WorkspaceFile, "{}\n", "[policy-range]"},
		"format in words":  {policy.WorkspaceFile, "format: one\n", "[yaml-type]"},
		"beside a format":  {policy.WorkspaceFile, "format: 1\nkeep: true\n", "[yaml-unknown]"},
		"unknown file":     {"policies/rolls.yaml", "a: b\n", "[policy-unknown-file]"},
	} {
		files := maps.Clone(defaults(t))
		files[c.path] = c.text
		_, ds := policy.Load(tree.MapOf(files))
		found := false
		for _, d := range ds {
			found = found || strings.HasPrefix(d.String(), c.path) && strings.Contains(d.String(), c.want)
		}
		if !found {
			t.Errorf("%s: no diagnostic with %q in %v", name, c.want, ds)
		}
	}
}

// A date without quotes is one mistake and is reported once.
func TestWaiverIsToldOnce(t *testing.T) {
	files := defaults(t)
	files[policy.SecurityFile] = "waivers:\n  - {rule: x, blob: 5a02d711a05a02d711a05a02d711a05a02d711a0, reason: seen, expires: 2027-01-31}\n"
	if _, ds := policy.Load(tree.MapOf(files)); len(ds) != 1 || !strings.Contains(diagText(ds), "[yaml-ambiguous]") {
		t.Errorf("%v", ds)
	}
}

func TestExtraRuleReports(t *testing.T) {
	head := "tiers: {low: [], medium: [], high: [], critical: [{role: human, count: 1}]}\nextra:\n"
	for text, want := range map[string]string{
		"  - {name: X, when: {kinds: [add]}, needs: [{role: lead, count: 1}]}\n":        "[policy-name]",
		"  - {name: x, when: {}, needs: [{role: lead, count: 1}]}\n":                    "no condition",
		"  - {name: x, when: {kinds: [add]}}\n":                                         "needs nobody",
		"  - {name: x, when: {touches: ['[']}, needs: [{role: lead, count: 1}]}\n":      "broken pattern",
		"  - {name: x, when: {kinds: [grow]}, needs: [{role: lead, count: 1}]}\n":       "no kind of proposal",
		"  - {name: x, when: {kinds: [add]}, needs: [{role: lead, count: 99}]}\n":       "99 approvals",
		"  - {name: x, when: {condition: \"true\"}, needs: [{role: lead, count: 1}]}\n": "[yaml-unknown]",
	} {
		files := defaults(t)
		files[policy.ApprovalsFile] = head + text
		if _, ds := policy.Load(tree.MapOf(files)); !strings.Contains(diagText(ds), want) {
			t.Errorf("%s: no %q in %v", text, want, ds)
		}
	}
}

// A file with one mistake must not be half in force.
func TestBrokenFileIsReplacedAsAWhole(t *testing.T) {
	files := defaults(t)
	files[policy.AutonomyFile] = "default: autonomous\nexecutables: [tool]\nunknown: 1\n"
	p, _ := policy.Load(tree.MapOf(files))
	if p.Autonomy.Default != policy.Manual || len(p.Autonomy.Executables) > 0 {
		t.Errorf("%+v", p.Autonomy)
	}
	files[policy.SecurityFile] = "protected_sections: []\nhigh: 7\n"
	if p, _ := policy.Load(tree.MapOf(files)); !p.Security.Unreadable || !p.Security.Protects("core_truths") {
		t.Errorf("%+v", p.Security)
	}
}

func TestRolesAnswer(t *testing.T) {
	files := defaults(t)
	text, err := os.ReadFile("testdata/roles.yaml")
	if err != nil {
		t.Fatal(err)
	}
	files[policy.RolesFile] = string(text)
	p, ds := policy.Load(tree.MapOf(files))
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	r := p.Roles
	ann, ok := r.ByLogin("GitHub", "ANN-gh")
	if !ok || ann.Name != "ann" || ann.Kind != policy.KindHuman {
		t.Errorf("%+v", ann)
	}
	if id, ok := r.ByEmail("Ann@Example.org"); !ok || id.Name != "ann" {
		t.Errorf("%+v", id)
	}
	if id, ok := r.ByKey(ann.Keys[0]); !ok || id.Name != "ann" {
		t.Errorf("%+v", id)
	}
	for _, unknown := range []policy.Actor{{}, {Key: "SHA256:x"}, {Forge: "github", Login: ""}, {Forge: "gitea", Login: "ann-gh"}, {Name: "ann"}, {Email: "ann@example.org"}} {
		if id, ok := r.Proven(unknown); ok {
			t.Errorf("%+v proves to be %s", unknown, id.Name)
		}
	}
	if got := strings.Join(r.RolesOf(ann), " "); got != "human lead" {
		t.Error(got)
	}
}

func TestInitialRoles(t *testing.T) {
	pub := "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ5vb0Cz7QXQ3dW0m4dM0m3b8Y9nRk1f0Qk1m2n3o4p5 ann@laptop: #1"
	for _, c := range []struct {
		person policy.Person
		agents []string
		name   string
	}{
		{policy.Person{Name: "Ann Example", Email: "ann@example.org", PublicKey: pub + "\n"}, []string{"scout", "smith"}, "ann-example"},
		{policy.Person{Name: "Zoë", PublicKey: pub}, nil, "zo"},
		{policy.Person{Name: "株式会社", Email: "a@b.c"}, []string{"owner"}, "owner-human"},
		{policy.Person{Name: strings.Repeat("long ", 40), Email: "a@b.c"}, []string{"scout"}, ""},
	} {
		text, err := policy.InitialRoles(c.person, c.agents)
		if err != nil {
			t.Errorf("%+v: %v", c.person, err)
			continue
		}
		files := defaults(t)
		files[policy.RolesFile] = string(text)
		p, ds := policy.Load(tree.MapOf(files))
		if len(ds) > 0 || len(p.Roles.Humans()) != 1 || c.name != "" && p.Roles.Humans()[0] != c.name {
			t.Errorf("%+v: humans %v, %v\n%s", c.person, p.Roles.Humans(), ds, text)
		}
	}
	for _, bad := range []policy.Person{{Name: "ann"}, {Name: "ann", Email: "a]\nroles: x"}, {Name: "ann", PublicKey: "rubbish"}} {
		if text, err := policy.InitialRoles(bad, nil); err == nil {
			t.Errorf("%+v accepted:\n%s", bad, text)
		}
	}
	if _, err := policy.InitialRoles(policy.Person{Name: "ann", Email: "a@b.c"}, []string{"Bad Name"}); err == nil {
		t.Error("a bad agent's name is accepted")
	}
}

func diagText(ds diag.List) string {
	var b strings.Builder
	for _, d := range ds {
		b.WriteString(d.String() + "\n")
	}
	return b.String()
}
