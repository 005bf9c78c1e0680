package tool

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home/calls"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// otherProcess names the folder of the health in the environment of a process that calls
// the tool of each line that it reads, until there are no more.
const otherProcess = "ASSENT_TEST_TOOL_HEALTH"

func TestMain(m *testing.M) {
	home := os.Getenv(otherProcess)
	if home == "" {
		os.Exit(m.Run())
	}
	t := tree.MapOf(knots())
	policies, _ := policy.Load(t)
	e := &Engine{View: view{t, capability.NamerOf(t)}, Policies: policies, Session: "other", Ledger: calls.NewLedger(home, "w"), Now: time.Now, Health: opened(home)}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		res, err := e.Do(context.Background(), Call{Name: in.Text()})
		fmt.Println(res.Type, res.Success, err)
	}
	os.Exit(0)
}

// knots returns composed tools, which need no sandbox: one that fails on request, one
// that calls it, one whose smoke tests fail and one whose others do.
func knots() map[string]string {
	all := map[string]string{"policies/autonomy.yaml": "executables: [tool]\n"}
	add := func(name, body, tests, more string) {
		files(all, name, record+"layer: composed\nrun: {runtime: starlark, entry: scripts/main.star}\n"+more, map[string]string{
			"scripts/main.star": "def main(input):\n  " + body + "\n", "tests.yaml": "cases:\n" + tests})
	}
	pass := "  - {name: one, input: {}, expect: {equals: 1}, tags: [smoke]}\n"
	add("tie", `return fail("frayed " + input["bad"]) if "bad" in input else 1`, pass, "error_patterns: [{match: too short, means: The rope is too short}]\n")
	add("moor", `return tools.tie(**input)`, pass, "")
	add("slip", `return 2`, pass, "")
	add("late", `return 1`, strings.Repeat(pass, 1)+strings.Replace(strings.Replace(pass, "name: one", "name: two", 1), "equals: 1}, tags: [smoke]", "equals: 2}", 1), "")
	return all
}

// TestInstead checks that a refusal names the equivalent capability that failed least, and none
// that does not run either or has another signature.
func TestInstead(t *testing.T) {
	all := map[string]string{"policies/autonomy.yaml": "executables: [tool]\n"}
	add := func(name, more string) {
		files(all, name, record+"layer: composed\nrun: {runtime: starlark, entry: scripts/main.star}\n"+more,
			map[string]string{"scripts/main.star": "def main(input):\n  return 1 // input.get('by', 1)\n"})
	}
	files(all, "tie", "kind: tool\nversion: 0.1.0\nstatus: researching\ninput: {type: object}\n", nil)
	add("a-frayed", "implements: tie\nstatus: testing\n")
	add("b-for-smith", "implements: tie\nagents: {allow: [smith]}\n")
	add("c-anew", "implements: tie\nsupersedes: d-often\nbreaking: true\nchanges: [x]\n")
	add("d-often", "implements: tie\n")
	add("e-well", "implements: tie\n")
	e := engine(t, all)
	e.Agent, e.Health = "scout", store(t, t.TempDir())
	hint := func(called string) string { return do(t, e, called, "{}").Hint }
	if got := hint("a-frayed"); !strings.HasSuffix(got, "; d-often does the same: assent run-tool d-often") {
		t.Errorf("of two that were never called: %q", got)
	}
	do(t, e, "e-well", "{}")
	if got := hint("a-frayed"); !strings.HasSuffix(got, "; e-well does the same: assent run-tool e-well") {
		t.Errorf("of one that did well: %q", got)
	}
	for n := range 3 {
		do(t, e, "e-well", fmt.Sprintf(`{"by": 0, "n": %d}`, n))
	}
	if res := do(t, e, "e-well", "{}"); res.Type != Quarantined || !strings.HasSuffix(res.Hint, "; d-often does the same: assent run-tool d-often") {
		t.Errorf("of one in quarantine: %s %q", res.Type, res.Hint)
	}
	if got := hint("c-anew"); got != "" {
		t.Errorf("a breaking one runs: %q", got)
	}
}

// TestImplementation checks that a specification runs as the implementation that failed least
// here, for admitted callers only, and not if a composed tool calls it.
func TestImplementation(t *testing.T) {
	all := map[string]string{"policies/autonomy.yaml": "executables: [tool]\n"}
	add := func(name, more, body string) {
		files(all, name, record+"layer: composed\nrun: {runtime: starlark, entry: scripts/main.star}\n"+more,
			map[string]string{"scripts/main.star": "def main(input):\n  return " + body + "\n"})
	}
	files(all, "tie", "kind: tool\nversion: 0.1.0\nstatus: researching\ninput: {type: object}\nagents: {deny: [smith]}\n", nil)
	files(all, "tie-lost", "kind: tool\nversion: 0.1.0\nstatus: retired\ninput: {type: object}\n", nil)
	add("bowline", "implements: tie\n", "1 // input.get('by', 1)")
	add("clove", "implements: tie\n", "2")
	add("hitch", "implements: tie-lost\n", "3")
	add("moor", "", "tools.tie()")
	e := engine(t, all)
	e.Agent, e.Health = "scout", store(t, t.TempDir())
	ran := func(called, input string) string {
		t.Helper()
		res := do(t, e, called, input)
		return fmt.Sprint(res.Tool, " ", string(res.Result), res.Type)
	}
	for _, step := range []struct{ called, input, want string }{
		{"tie", "{}", "bowline 1"},
		{"tie", `{"by": 0}`, "bowline failed"},
		{"tie", `{"by": 0, "n": 1}`, "bowline failed"},
		{"tie", "{}", "clove 2"},
		{"tie-lost", "{}", "tie-lost " + string(NotCallable)},
		{"moor", "{}", "moor failed"},
	} {
		if got := ran(step.called, step.input); got != step.want {
			t.Errorf("%s %s: %q, want %q", step.called, step.input, got, step.want)
		}
	}
	e.Agent = "smith"
	if got := ran("tie", "{}"); got != "tie "+string(NotAllowed) {
		t.Errorf("an agent that it does not admit: %q", got)
	}
}

// store returns the health in a new repository in a folder, opened the health in an existing one.
func store(t *testing.T, dir string) *triallog.Health {
	t.Helper()
	if _, err := gitstore.Init(dir); err != nil {
		t.Fatal(err)
	}
	return opened(dir)
}

func opened(dir string) *triallog.Health {
	repo, err := gitstore.Open(dir)
	if err != nil {
		panic(err)
	}
	return triallog.NewHealth(triallog.New(repo, strings.Repeat("1", 40), time.Now), nil, health.Thresholds{Degraded: 3})
}

func healthy(t *testing.T) (*Engine, string) {
	t.Helper()
	home := t.TempDir()
	e := engine(t, knots())
	e.Health = store(t, home)
	return e, home
}

func stateOf(t *testing.T, e *Engine, name string) health.Entry {
	t.Helper()
	r, err := e.Health.Read(name)
	if err != nil || len(r.Entries) != 1 {
		t.Fatalf("%s: %+v, %v", name, r, err)
	}
	return r.Entries[0]
}

// TestQuarantineIsImmediate: a process that runs already, and has called the tool, refuses
// the next call when another one put it into quarantine, also below a composed tool.
func TestQuarantineIsImmediate(t *testing.T) {
	e, home := healthy(t)
	other := exec.CommandContext(t.Context(), os.Args[0])
	other.Env = append(os.Environ(), otherProcess+"="+home)
	in, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewScanner(out)
	ask := func(name, want string) {
		t.Helper()
		fmt.Fprintln(in, name)
		if !answers.Scan() || answers.Text() != want {
			t.Errorf("the other process calls %s: %q, want %q", name, answers.Text(), want)
		}
	}
	ask("tie", " true <nil>")
	ask("moor", " true <nil>")
	var turned []Turned
	e.Turned = func(of Turned) { turned = append(turned, of) }
	for n := range e.Policies.Retention.DegradedAfter {
		if res := do(t, e, "tie", fmt.Sprintf(`{"bad": "rope %d"}`, n)); res.Type != Failed {
			t.Fatalf("%+v", res)
		}
	}
	ask("tie", "quarantined false <nil>")
	ask("moor", "failed false <nil>")
	if len(turned) != 1 || turned[0].Capability.Name != "tie" || turned[0].Health.State != health.Red {
		t.Errorf("told of %+v", turned)
	}
	res := do(t, e, "tie", `{}`)
	if res.Type != Quarantined || res.Spent != nil || !strings.Contains(res.Error, "the last with: failed") || !strings.Contains(res.Hint, "assent health --check tie") {
		t.Errorf("%+v", res)
	}
	if plan, err := e.Plan(Call{Name: "tie"}); err != nil || plan.Type != Quarantined {
		t.Errorf("a plan: %+v, %v", plan, err)
	}
	if h := stateOf(t, e, "moor"); h.Failures != 0 || h.State != health.Green {
		t.Errorf("what only calls it: %+v", h)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := other.Wait(); err != nil {
		t.Fatal(err)
	}
}

// TestPreflight: smoke tests come before the first use, and only these.
func TestPreflight(t *testing.T) {
	e, _ := healthy(t)
	res := do(t, e, "slip", `{}`)
	if h := stateOf(t, e, "slip"); res.Type != Quarantined || res.Spent != nil || h.State != health.Red || h.By != health.Smoke || h.Uses != 0 {
		t.Errorf("what fails its smoke test: %s %s, %+v", res.Type, res.Error, h)
	}
	if res := do(t, e, "late", `{}`); !res.Success || stateOf(t, e, "late").State != health.Green {
		t.Errorf("what fails another test: %s %s", res.Type, res.Error)
	}
	before := stateOf(t, e, "late")
	do(t, e, "late", `{}`)
	if after := stateOf(t, e, "late"); len(after.History) != len(before.History) || after.Uses != 2 {
		t.Errorf("the second use: %+v", after)
	}
}

// TestWhatIsNoFailure checks that a fault of the caller, by the record or by a short timeout,
// counts as a use and not as a failure.
func TestWhatIsNoFailure(t *testing.T) {
	e, _ := healthy(t)
	for range 5 {
		do(t, e, "tie", `{"bad": "rope: too short"}`)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if res, err := e.Do(gone, Call{Name: "tie"}); !errors.Is(err, context.Canceled) || res.Spent != nil {
		t.Errorf("a call cancelled beforehand: %+v, %v", res, err)
	}
	if _, err := e.Do(t.Context(), Call{Name: "tie", Input: json.RawMessage(`5`)}); err != nil {
		t.Fatal(err)
	}
	if h := stateOf(t, e, "tie"); h.Uses != 5 || h.Failures != 0 || h.State != health.Green {
		t.Errorf("%+v", h)
	}
}

// TestRefusalIsNoFailure: a tool that refuses its input in good order, or never saw one that is too
// long for an argument, is not at fault, however often and for whomever.
func TestRefusalIsNoFailure(t *testing.T) {
	e, _ := healthy(t)
	all := knots()
	files(all, "exits", program("bash", "main.sh"), map[string]string{"scripts/main.sh": "echo 'n must not be odd' >&2\nexit 2\n"})
	files(all, "breaks", program("bash", "main.sh"), map[string]string{"scripts/main.sh": "echo 'main.sh: line 1: syntax error' >&2\nexit 2\n"})
	files(all, "argument", program("bash", "main.sh"), map[string]string{"scripts/main.sh": "[ \"$1\" != - ] || { echo 'no JSON' >&2; exit 1; }\n"})
	files(all, "declares", record+"layer: composed\nrun: {runtime: starlark, entry: scripts/main.star}\n",
		map[string]string{"scripts/main.star": "def main(input):\n  return {'error': 'n must not be odd', 'error_type': 'invalid_input'}\n"})
	m := tree.MapOf(all)
	e.View = view{m, capability.NamerOf(m)}
	long := strings.Repeat("x", 130<<10)
	for name, want := range map[string]struct {
		more  string
		state health.State
	}{"exits": {"", health.Pending}, "declares": {"", health.Pending}, "argument": {long, health.Pending}, "breaks": {"", health.Red}} {
		for n := range e.Policies.Retention.DegradedAfter {
			if res := do(t, e, name, fmt.Sprintf(`{"n": %d, "more": %q}`, n, want.more)); res.Type != Failed {
				t.Fatalf("%s: %+v", name, res.Type)
			}
		}
		if h := stateOf(t, e, name); h.State != want.state {
			t.Errorf("%s: %+v", name, h)
		}
	}
}

// TestSameCallIsOneFailure: one caller's failing input counts once however often it is tried, and
// again for another caller.
func TestSameCallIsOneFailure(t *testing.T) {
	e, _ := healthy(t)
	for _, want := range []struct {
		agent    string
		failures int
	}{{"scout", 1}, {"smith", 2}, {"scout", 2}} {
		e.Agent = want.agent
		for range 4 {
			do(t, e, "tie", `{"bad": "rope"}`)
		}
		if h := stateOf(t, e, "tie"); h.Failures != want.failures || h.State != health.Green {
			t.Fatalf("%s: %+v", want.agent, h)
		}
	}
	e.Agent = ""
	if do(t, e, "tie", `{"bad": "rope"}`); stateOf(t, e, "tie").State != health.Red {
		t.Error("three callers met it")
	}
}

// TestFlakyIsTriedAgain checks that the session pays for each attempt, and that a call with
// effects elsewhere is tried once.
func TestFlakyIsTriedAgain(t *testing.T) {
	e, _ := healthy(t)
	all := knots()
	script := map[string]string{"scripts/main.sh": "echo 'no luck' >&2\nexit 1\n"}
	files(all, "coin", program("bash", "main.sh"), script)
	files(all, "mail", program("bash", "main.sh")+"side_effects: [messages]\n", script)
	m := tree.MapOf(all)
	e.View = view{m, capability.NamerOf(m)}
	for name, want := range map[string]int{"coin": attempts, "mail": 0} {
		at, err := m.Lookup("skills/" + name)
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = e.Health.Note(t.Context(), health.Evidence{Kind: health.Suite, Outcome: health.Mixed, At: time.Now().UTC().Truncate(time.Second)}.Observation(name, at.Hash.String(), "1.0.0"))
		if err != nil {
			t.Fatal(err)
		}
		e.Session = name
		res := do(t, e, name, `{}`)
		if res.Type != Failed || res.Attempts != want || res.Spent.Executions != max(want, 1) {
			t.Errorf("%s: %s after %d attempts, %+v", name, res.Type, res.Attempts, res.Spent)
		}
		if h := stateOf(t, e, name); h.Uses != 1 || h.Failures != 1 {
			t.Errorf("%s: %+v", name, h)
		}
	}
}
