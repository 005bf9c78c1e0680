package proposal_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/format/proposal"
)

func TestFormatReadsBack(t *testing.T) {
	p := proposal.Proposal{
		ID: "parse-csv-k3v9q2mt", Kind: proposal.Add, Agent: "scout", For: "smith", Goal: "read: semicolons # and quotes \"",
		Gap:        &proposal.Gap{Missing: "csv", Reason: "no tool", Evidence: []string{"trial:01J"}},
		Capability: "parse-csv", Soul: &proposal.SoulEdit{Agent: "scout", Section: "no", Mode: "append"},
		Files: []string{"skills/data/parse-csv/SKILL.md"}, Alternatives: []string{"1.0", "yes"},
		Plan: map[string]any{"tasks": []any{"a", int64(1)}}, Body: "# Why\n\nBecause.\n",
	}
	src, err := proposal.Format(p)
	if err != nil {
		t.Fatal(err)
	}
	got, diags := proposal.Parse("p.md", src)
	if len(diags) > 0 {
		t.Fatalf("%v\n%s", diags, src)
	}
	if d := cmp.Diff(p, got); d != "" {
		t.Fatal(d)
	}
}

func TestWithoutFilesHidesTheListOnly(t *testing.T) {
	with := []byte("---\nid: a-k3v9q2mt\nkind: add\nagent: scout\ngoal: g\nfiles:\n  - a\n  - b\n---\n# Why\n")
	other := []byte(strings.Replace(string(with), "  - b\n", "  - c\n", 1))
	goal := []byte(strings.Replace(string(with), "goal: g", "goal: h", 1))
	if string(proposal.WithoutFiles(with)) != string(proposal.WithoutFiles(other)) {
		t.Error("the files list shows")
	}
	if string(proposal.WithoutFiles(with)) == string(proposal.WithoutFiles(goal)) {
		t.Error("the goal does not show")
	}
	for _, more := range []string{"# obey smith\n", "obey: smith\n", "goal: [\n"} {
		hidden := []byte(strings.Replace(string(with), "goal: g\n", "goal: g\n"+more, 1))
		if string(proposal.WithoutFiles(with)) == string(proposal.WithoutFiles(hidden)) {
			t.Errorf("%q does not show", more)
		}
	}
}

func TestParseDraft(t *testing.T) {
	const head = "---\ngoal: g\n"
	for _, tc := range []struct {
		name, src string
		rules     []string // of the errors
		check     func(t *testing.T, d proposal.Drafted)
	}{
		{name: "own", src: head + "agent: scout\n---\n# Why\n\nx\n", check: func(t *testing.T, d proposal.Drafted) {
			if d.Proposal.Goal != "g" || d.Proposal.Agent != "scout" || d.Proposal.Body != "# Why\n\nx\n" {
				t.Errorf("%+v", d.Proposal)
			}
		}},
		{name: "files in fences", src: head + "---\n# Why\n\n```markdown file=skills/a/SKILL.md\n---\nname: a\n---\n```\n\n~~~ file=\"skills/a/x.txt\"\n```\n~~~\n",
			check: func(t *testing.T, d proposal.Drafted) {
				if len(d.Edits) != 2 || d.Edits[0].Path != "skills/a/SKILL.md" || string(d.Edits[0].Content) != "---\nname: a\n---\n" || string(d.Edits[1].Content) != "```\n" {
					t.Errorf("%+v", d.Edits)
				}
			}},
		{name: "soul", src: head + "soul: {agent: a, section: Vibe, mode: replace}\n---\n```markdown\nnew\n```\n", check: func(t *testing.T, d proposal.Drafted) {
			if d.Proposal.Soul.Content != "new\n" || d.Proposal.SoulContent() != "new\n" {
				t.Errorf("%+v", d.Proposal.Soul)
			}
		}},
		{name: "soul without text", src: head + "soul: {agent: a, section: Vibe, mode: replace}\n---\n# Why\n", rules: []string{"draft-soul-content"}},
		{name: "soul with a bad mode", src: head + "soul: {agent: a, section: Vibe, mode: erase}\n---\n```\nx\n```\n", rules: []string{"proposal-soul-mode"}},
		{name: "file twice", src: head + "---\n``` file=a\n1\n```\n``` file=a\n2\n```\n", rules: []string{"draft-file-twice"}},
		{name: "empty", src: " \n", rules: []string{"draft-empty"}},
		{name: "no goal", src: "---\nagent: a\n---\n", rules: []string{"draft-goal"}},
		{name: "no front matter", src: "# Why\n", rules: []string{"proposal-front-matter"}},
		{name: "unclosed", src: "---\ngoal: g\n", rules: []string{"front-matter-unclosed"}},
		{name: "unknown key", src: head + "captability: x\n---\n", rules: []string{"yaml-unknown"}},
		{name: "bad kind", src: head + "kind: bless\n---\n", rules: []string{"proposal-kind"}},
		{name: "duplicate", src: head + "goal: h\n---\n", rules: []string{"yaml-duplicate"}},
		{name: "openclaw", src: "---\nname: Say Hi\ndescription: Greets people.\nstatus: proposal\nversion: 1.0.0\ndate: 2026-01-01\nicon: x\n---\n# Say hi\n", check: func(t *testing.T, d proposal.Drafted) {
			if d.Proposal.Capability != "say-hi" || len(d.Edits) != 1 || d.Edits[0].Path != "skills/say-hi/SKILL.md" || !strings.Contains(d.Proposal.Body, "version 1.0.0") {
				t.Errorf("%+v %+v", d.Proposal, d.Edits)
			}
		}},
		{name: "aura", src: `{"proposed_tool":{"name":"send_fax","description":"Sends a fax to a number.","inputs":{"type":"object"},"risk_level":"medium"},"rationale":"no tool reaches a fax"}`,
			check: func(t *testing.T, d proposal.Drafted) {
				if d.Proposal.Capability != "send-fax" || len(d.Edits) != 2 || !strings.Contains(string(d.Edits[1].Content), "status: researching") {
					t.Errorf("%+v %+v", d.Proposal, d.Edits)
				}
			}},
		{name: "aura, a key twice", src: `{"proposed_tool":{"name":"send_fax","description":"Sends a fax to a number.","name":"send_all"},"rationale":"no tool reaches a fax"}`, rules: []string{"draft-json"}},
		{name: "aura, a key in two spellings", src: `{"proposed_tool":{"name":"send_fax","description":"Sends a fax to a number."},"rationale":"x","Rationale":"y"}`, rules: []string{"draft-json"}},
		{name: "aura, twice in the inputs", src: `{"proposed_tool":{"name":"send_fax","description":"Sends a fax to a number.","inputs":{"type":"object","properties":{"to":{},"to":{}}}},"rationale":"x"}`, rules: []string{"draft-json"}},
		{name: "aura, more behind it", src: `{"proposed_tool":{"name":"send_fax","description":"Sends a fax to a number."},"rationale":"x"} {}`, rules: []string{"draft-json"}},
		{name: "aura, too short", src: `{"proposed_tool":{"name":"x","description":"Fax."}}`, rules: []string{"draft-description", "draft-rationale"}},
		{name: "aura, effects in words", src: "\n{\"proposed_tool\":{\"name\":\"a_b\",\"description\":\"0123456789\",\n\"side_effects\":[\"It signs\"]},\"rationale\":\"r\"}"},
		{name: "aura, an effect without end", src: "\n{\"proposed_tool\":{\"name\":\"a_b\",\"description\":\"0123456789\",\n\"side_effects\":[\"" + strings.Repeat("It signs. ", 101) + "\"]},\"rationale\":\"r\"}", rules: []string{"record-value"}},
		{name: "aura, no name", src: `{"proposed_tool":{"name":"../a","description":"0123456789"},"rationale":"r"}`, rules: []string{"tool-name"}},
		{name: "broken json", src: "{\n\"proposed_tool\": oops}", rules: []string{"draft-json"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d, diags := proposal.ParseDraft("d.md", []byte(tc.src))
			var rules []string
			for _, f := range diags {
				if f.Severity == diag.Error {
					rules = append(rules, f.Rule)
					if f.File != "d.md" || f.Fix == "" {
						t.Errorf("no place or no fix: %+v", f)
					}
				}
			}
			if d := cmp.Diff(tc.rules, rules); d != "" {
				t.Fatalf("%s\n%v", d, diags)
			}
			if tc.check != nil {
				tc.check(t, d)
			}
		})
	}
}

func TestEveryStateHasAWayOut(t *testing.T) {
	for _, s := range []proposal.State{
		proposal.Draft, proposal.Open, proposal.Waiting, proposal.ChangesRequested, proposal.Approved, proposal.Refused,
		proposal.Conflicted, proposal.Merged, proposal.Rejected, proposal.Withdrawn, proposal.Expired,
	} {
		if s.Next() == proposal.State("").Next() {
			t.Errorf("%s leads nowhere", s)
		}
	}
}

func FuzzParseDraft(f *testing.F) {
	f.Add([]byte("---\ngoal: g\nsoul: {agent: a, section: V, mode: add}\n---\n```\nx\n```\n"))
	f.Add([]byte(`{"proposed_tool":{"name":"a_b","description":"0123456789","inputs":{}},"rationale":"r"}`))
	f.Add([]byte("---\nname: a\ndescription: d\nstatus: proposal\n---\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		d, diags := proposal.ParseDraft("d.md", src)
		lines := strings.Count(string(src), "\n") + 1
		for _, x := range diags {
			if x.Line < 0 || x.Line > lines {
				t.Fatalf("line %d of %d: %v", x.Line, lines, x)
			}
		}
		if diags.HasErrors() {
			return
		}
		p := d.Proposal
		p.ID, p.Kind, p.Agent = "a-k3v9q2mt", proposal.Add, "scout"
		out, err := proposal.Format(p)
		if err != nil {
			return // content that YAML cannot hold is an error, not a loss
		}
		back, more := proposal.Parse("p.md", out)
		if more.HasErrors() {
			t.Fatalf("what was written does not read back: %v\n%q", more, out)
		}
		if strings.TrimRight(back.Body, "\n") != strings.TrimRight(p.Body, "\n") {
			t.Fatalf("the body changed: %q, %q", p.Body, back.Body)
		}
	})
}
