package graph

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/soul"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// hostile are texts that try to leave the quotes of one of the forms.
var hostile = []string{
	`plain`, `it's`, `"quoted"`, `back\slash`, `ends with \`, `\u0027 }) DETACH DELETE n //`, `\\u0027`, `\U00000027`, "a\nb\r\tc", "nul\x00", "\x1b[31m", "bidi \u202e", "\u2028",
	`'}) MATCH (n) DETACH DELETE n; //`, `"]; evil [label="`, `"] --> x["`, "`end`", "#quot; &amp; <b>", `$x {y: 1} /* */`, "é 😀 漢字", "not\xffutf8", strings.Repeat("long '\\u", 1<<17), "1. list", "%% comment",
}

func name(i int) string { return "tool-" + strconv.Itoa(i) }

// source is a source in which every text may be hostile.
func source(r *rand.Rand) (s Source) {
	text := func() string { return hostile[r.IntN(len(hostile))] }
	day := time.Date(2026, 11, 2, 3, 4, 5, 0, time.UTC)
	var last [2]trial.ID
	for i := range 6 {
		half := 0.5
		c := capability.Capability{Folder: capability.FolderOf("skills/a/" + name(i))}
		c.Kind, c.Status, c.Version, c.Description, c.Category = capability.KindTool, capability.Active, "1.0.0", text(), text()
		c.Record.Requires.Capabilities, c.Record.Enhances, c.Record.Tags = []string{name(i + 1)}, []string{name(i + 2)}, []string{"csv", text()}
		c.Record.Requires.Secrets = []string{"TOKEN"}
		c.Record.Cost = &capability.Cost{PerUse: []float64{0, 1, 1e-7, 1e300}[r.IntN(4)]}
		c.Record.ErrorPatterns = []capability.ErrorPattern{{Match: text(), Means: text(), Fix: text(), Solutions: []string{text(), text()}}}
		s.Capabilities = append(s.Capabilities, Known{Capability: c, Digest: "d", Calls: []string{name(i + 3)}, Health: health.Record{Entries: []health.Entry{{Digest: "d", State: health.Green, Checked: day, Mastery: 0.95}}}})
		agent := text()
		s.Agents = append(s.Agents, Learner{Name: agent + strconv.Itoa(i), Learned: []soul.Entry{{Name: name(i), Learned: text(), Mastery: &half}, {Name: text()}}})
		s.Proposals = append(s.Proposals, Merged{proposal.Proposal{ID: name(i) + "-id", Kind: proposal.Add, Agent: agent, Goal: text(), Capability: name(i)}, "2026-11-0" + strconv.Itoa(i+1)})
		for _, job := range []string{"research", "implement", "validate"} {
			s.Jobs = append(s.Jobs, Job{
				Run: name(i), Name: job, Capability: name(i), Agent: agent, Proposal: "of-a-run", Status: "completed", Began: day, Ended: day.Add(100 * time.Minute),
				Attempts: 2, Failures: 1, Confidence: 0.7, Notes: text(), Findings: map[string]string{text(): text(), "costs": text()},
			})
		}
		w := trial.WriterOf([]byte{byte(i % 2)})
		for range 8 {
			last[i%2] = trial.Next(last[i%2], day, w)
			o := trial.Observation{
				At: day, Capability: name(i), Agent: agent, Mission: "m" + strconv.Itoa(r.IntN(3)), Task: text(), Level: []trial.Level{trial.Listed, trial.Loaded, trial.Followed, trial.Verdict, trial.Suite}[r.IntN(5)],
				Outcome: trial.Failure, Error: "timeout", Diagnosis: text(), InputSummary: text(), Source: trial.Self, Cost: r.Float64(), Tests: &trial.Tests{Mastery: 0.25},
			}
			s.Trials = append(s.Trials, trial.Kept{Writer: w, Trial: trial.Trial{V: 1, ID: last[i%2], Observation: o}})
		}
		line := trial.Line{Group: trial.Group{Capability: name(i), Agent: agent}, Use: trial.Use{Loaded: 3, Success: 1, Cost: 0.1, MS: 7, Last: "2026-11-02"}}
		s.ByAgent = append(s.ByAgent, line)
		line.Agent = ""
		s.Uses = append(s.Uses, line)
	}
	return s
}

func shuffle[T any](r *rand.Rand, list []T) []T {
	list = slices.Clone(list)
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

func text(t *testing.T, g Graph) string {
	t.Helper()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(g); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestSameBytes: the order of the source changes no byte of any form.
func TestSameBytes(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := source(r)
		want := Build(s)
		for range 3 {
			s.Capabilities, s.Agents, s.Proposals, s.Jobs, s.Trials = shuffle(r, s.Capabilities), shuffle(r, s.Agents), shuffle(r, s.Proposals), shuffle(r, s.Jobs), shuffle(r, s.Trials)
			s.Uses, s.ByAgent = shuffle(r, s.Uses), shuffle(r, s.ByAgent)
			got := Build(s)
			if text(t, got) != text(t, want) || got.Cypher() != want.Cypher() || got.DOT() != want.DOT() || got.Mermaid() != want.Mermaid() {
				t.Fatalf("seed %d: another order gives another graph", seed)
			}
		}
	}
}

// TestRead: a graph read from its JSON is the same graph, types included.
func TestRead(t *testing.T) {
	for seed := range uint64(10) {
		want := Build(source(rand.New(rand.NewPCG(seed, 1))))
		got, err := Read(strings.NewReader(text(t, want)))
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Fatalf("seed %d: %v\n%s", seed, err, diff)
		}
	}
	for _, wrong := range []string{
		``, `{"v":2}`, `{"v":1}{"v":1}`, `{"v":1,"nodes":[{"id":"a","label":"Agent) DETACH DELETE (n"}]}`, `{"v":1,"nodes":[{"id":"a","label":"Agent"},{"id":"a","label":"Agent"}]}`,
		`{"v":1,"nodes":[{"id":"a","label":"Agent","properties":{"x} RETURN {y":1}}]}`, `{"v":1,"nodes":[{"id":"a","label":"Agent","properties":{"x":{}}}]}`,
		`{"v":1,"nodes":[{"id":"a","label":"Agent","properties":{"x":[1]}}]}`, `{"v":1,"nodes":[{"id":"a","label":"Agent"}],"edges":[{"from":"a","type":"KNOWS","to":"b"}]}`,
		`{"v":1,"nodes":[{"id":"a","label":"Agent"}],"edges":[{"from":"a","type":"KNOWS]->() DELETE","to":"a"}]}`, `{"v":1,"nodes":[{"id":"a","label":"Agent","properties":{"x":99999999999999999999}}]}`,
	} {
		if g, err := Read(strings.NewReader(wrong)); err == nil {
			t.Errorf("%s is read: %+v", wrong, g)
		}
	}
}

// TestCost: a job has a cost only if one was reported.
func TestCost(t *testing.T) {
	for _, cost := range []float64{0, 0.5} {
		for _, n := range Build(Source{Jobs: []Job{{Run: "r", Name: "research", Capability: "knot", Cost: cost}}}).Nodes {
			if got, has := n.Properties["cost_incurred"]; has != (cost > 0 && n.Label == LearningSession) || has && got != cost {
				t.Errorf("%v: %s has %v", cost, n.Label, got)
			}
		}
	}
}

// TestWhole: every edge has both ends, every label and type of edge is made, and texts are bounded.
func TestWhole(t *testing.T) {
	g := Build(source(rand.New(rand.NewPCG(1, 1))))
	labels, types := map[Label]bool{}, map[Type]bool{}
	for _, n := range g.Nodes {
		labels[n.Label] = true
		for name, v := range n.Properties {
			if s, is := v.(string); is && (len(s) > maxText || !utf8.ValidString(s) || strings.ContainsAny(s, "\n\x00\x1b\u202e")) {
				t.Errorf("%s %s: %.100q", n.ID, name, s)
			}
		}
	}
	for _, e := range g.Edges {
		types[e.Type] = true
		for _, id := range []string{e.From, e.To} {
			if _, there := g.Node(id); !there {
				t.Errorf("%s of %v is no node", id, e)
			}
		}
	}
	if len(labels) != len(Labels()) || len(types) != len(Types()) {
		t.Errorf("%d labels and %d types of edges", len(labels), len(types))
	}
	only := g.Only(Agent, Capability)
	if len(only.Nodes) == 0 || len(only.Edges) == 0 || len(only.Nodes) == len(g.Nodes) {
		t.Errorf("%d nodes and %d edges of agents and capabilities", len(only.Nodes), len(only.Edges))
	}
	around := g.Around(AgentID("nothing"))
	if len(around.Nodes) != 0 {
		t.Errorf("%d nodes around one that is not there", len(around.Nodes))
	}
}

// TestAround: executions of an agent lead to their capabilities, and no further.
func TestAround(t *testing.T) {
	w := trial.WriterOf([]byte("w"))
	id := trial.Next(trial.ID{}, time.Unix(1e9, 0), w)
	of := func(agent, capability string) trial.Kept {
		id = trial.Next(id, time.Unix(1e9, 0), w)
		return trial.Kept{Writer: w, Trial: trial.Trial{ID: id, Observation: trial.Observation{Capability: capability, Agent: agent, Level: trial.Followed}}}
	}
	g := Build(Source{Trials: []trial.Kept{of("ann", "one"), of("ben", "one"), of("ben", "two")}}).Around(AgentID("ann"))
	if len(g.Nodes) != 3 || len(g.Edges) != 2 {
		t.Errorf("%d nodes and %d edges: %s", len(g.Nodes), len(g.Edges), text(t, g))
	}
}

// TestSince: what happened before is left out, but who brought a capability is known.
func TestSince(t *testing.T) {
	s := source(rand.New(rand.NewPCG(1, 1)))
	s.Trials, s.Since = nil, time.Date(2026, 11, 3, 0, 0, 0, 0, time.UTC)
	g := Build(s)
	sessions := g.Only(LearningSession).Nodes
	if len(sessions) != 4 || sessions[0].text("started_at") != "2026-11-03" {
		t.Errorf("%v", sessions)
	}
	if n, _ := g.Node(CapabilityID(name(0))); n.text("created_at") != "2026-11-01" {
		t.Errorf("%v", n)
	}
}

func TestKnowledge(t *testing.T) {
	high, low := 0.9, 0.2
	s := Source{Agents: []Learner{{"ann", []soul.Entry{{Name: "Low_One", Mastery: &low}, {Name: "high-one", Mastery: &high}, {Name: "unknown"}, {Name: "untested"}}}}}
	known := Known{Digest: "d", Health: health.Record{Entries: []health.Entry{{Digest: "d", Checked: time.Unix(1e9, 0), Mastery: 0.6}}}}
	known.Folder = capability.FolderOf("skills/unknown")
	s.Capabilities = []Known{known}
	s.ByAgent = []trial.Line{{Group: trial.Group{Agent: "ann", Capability: "high-one"}, Use: trial.Use{MS: 5400_000, Last: "2026-11-02"}}}
	g := Build(s)
	levels := map[string]any{}
	for _, e := range g.Edges {
		if e.Type == Knows {
			levels[e.To] = e.Properties["mastery_level"]
		}
	}
	if diff := cmp.Diff(map[string]any{CapabilityID("high-one"): "expert", CapabilityID("low-one"): "low", CapabilityID("unknown"): "medium", CapabilityID("untested"): nil}, levels); diff != "" {
		t.Error("KNOWS has another level than the list, or else the tests, say:", diff)
	}
	got := g.Knowledge("ann", 0.5)
	if len(got) != 2 || got[0].Name != "high-one" || got[0].Level != "expert" || got[0].Hours != 1.5 || got[0].LastUsed != "2026-11-02" || got[0].InForce ||
		got[1].Name != "unknown" || *got[1].Mastery != 0.6 || got[1].Level != "medium" || !got[1].InForce {
		t.Errorf("%+v", got)
	}
	if all := Build(s).Knowledge("ann", 0); len(all) != 4 || all[2].Name != "low-one" || all[3].Mastery != nil || all[3].Level != "" {
		t.Errorf("%+v", all)
	}
}

func TestSimilar(t *testing.T) {
	var s Source
	for at, description := range map[string]string{
		"skills/parse-csv": "Parses CSV text into rows.", "skills/csv-parse": "Parses CSV texts into rows", "skills/send-mail": "Sends mail to people.", "skills/read-rows": "Reads rows of a table.",
	} {
		k := Known{}
		k.Folder, k.Description = capability.FolderOf(at), description
		s.Capabilities = append(s.Capabilities, k)
	}
	g := Build(s)
	if got := g.Similar("Parse_CSV", 0.8, 10); len(got) != 1 || got[0].Name != "csv-parse" || got[0].Score > 1 {
		t.Errorf("%+v", got)
	}
	if got := g.Similar("parse-csv", 0, 10); len(got) != 2 || got[1].Name != "read-rows" {
		t.Errorf("%+v", got)
	}
	if got := g.Similar("parse-csv", 0, 1); len(got) != 1 {
		t.Errorf("%+v", got)
	}
}

// TestEngines: a database that runs Cypher, Graphviz and Mermaid read what the JSON says.
func TestEngines(t *testing.T) {
	programs := os.Getenv("ASSENT_TEST_GRAPHS")
	if programs == "" {
		t.Skip(`set ASSENT_TEST_GRAPHS="$(.ci/graphs)" to read the graphs with a database, Graphviz and Mermaid from npm`)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	g := Build(source(rand.New(rand.NewPCG(7, 7))))
	for name, content := range map[string]string{"graph.json": text(t, g), "graph.cypher": g.Cypher(), "graph.dot": g.DOT(), "graph.mermaid": g.Mermaid()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script, err := filepath.Abs("testdata/read.mjs")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), node, script, dir, programs).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%.4000s", err, out)
	}
}
