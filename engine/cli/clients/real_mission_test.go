package clients_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/assent-dev/assent/engine/agents/agenttest"
)

// lacking is a mission that a real client cannot do without a skill, and whose tasks the client does too.
type lacking struct {
	*person
	model  *agenttest.Model
	claude string
	// killed is the process of assent that a turn may kill.
	killed atomic.Pointer[os.Process]
}

// lack begins it. With kills, the process of assent that started the client is killed once in the first attempt, in
// each task and in the retried step, while the client waits for the model.
func lack(t *testing.T, kills bool) *lacking {
	t.Helper()
	p := &lacking{person: real(t, "smith")}
	p.run(p.project, "git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "begin")
	p.run(p.project, "git", "config", "assent.workspace", p.ws)
	var turns []agenttest.Turn
	bash := func(when, script string) {
		if kills {
			turns = append(turns, agenttest.Turn{When: when, Say: "too late", Before: func() { _ = p.killed.Load().Kill() }})
		}
		turns = append(turns, agenttest.Turn{When: when, Tool: "Bash", Input: map[string]any{"command": script}})
	}
	const at = "skills/automation/tie-knot/"
	write := func(when, result string, files ...string) {
		script := "mkdir -p " + at + "references\n"
		for i := 0; i < len(files); i += 2 {
			script += "cat > " + files[i] + " <<'END'\n" + files[i+1] + "\nEND\n"
		}
		bash(when, script+"cat > .task/result.json <<'END'\n"+result+"\nEND\necho written")
		turns = append(turns, agenttest.Turn{When: "written", Say: "done"})
	}
	skill := strings.ReplaceAll(bowline, "bowline", "tie-knot")
	bash("BEGIN-HERE", "tie-a-knot")
	turns = append(turns, agenttest.Turn{When: "not found", Say: "I would need a skill for tie-knots."})
	write("findings.security", `{"v": 1, "outcome": "success", "confidence": 0.9, "findings": {"providers": "ropes", "authentication": "none", "costs": "none", "failures": "it slips", "security": "none"}}`,
		at+"SKILL.md", skill, at+"capability.yaml", "kind: skill\nversion: 0.1.0\nstatus: researching", at+"references/research.md", "# Ropes")
	write("implement", `{"v": 1, "outcome": "success"}`, at+"SKILL.md", skill, at+"capability.yaml", "kind: skill\nversion: 1.0.0\nstatus: active\ncategory: automation")
	write("validate", `{"v": 1, "outcome": "success", "lacks": {"edge": "it has none", "security": "nothing runs", "performance": "nothing runs"}}`,
		at+"tests.yaml", "cases:\n  - {name: a rope, input: {rope: short}, expect: {contains: loop}, tags: [happy]}\n  - {name: no rope, input: {}, expect: {contains: which rope}, tags: [error]}")
	write("document", `{"v": 1, "outcome": "success"}`, at+"SKILL.md", skill+"\nPull it tight.\n")
	bash("Now you have tie-knot", p.assent+" cat tie-knot")
	turns = append(turns, agenttest.Turn{When: "Pull it tight.", Say: "The knot is tied."})
	p.model = agenttest.Serve(t, turns...)
	p.env = append(p.env, "ANTHROPIC_BASE_URL="+p.model.URL)
	p.claude = filepath.Join(p.clients, "claude") + " -p --permission-mode acceptEdits --allowedTools Bash"
	return p
}

// carried is the answer of assent mission run.
type carried struct {
	Steps []carriedStep
	Spent struct {
		Rounds, Tokens int64
		Lost           int
		Work           struct{ Runs, Lost int }
	}
}

// mission runs it, by a program and with more environment.
func (p *lacking) mission(program string, env []string, args ...string) (state carried, err error) {
	p.Helper()
	cmd := exec.CommandContext(p.Context(), program, append([]string{"mission", "run", "--id", "m-1", "--json", "--poll", "1s", "--command", p.claude + " --output-format json"}, args...)...)
	cmd.Dir, cmd.Env, cmd.Stderr = p.project, append(slices.Clone(p.env), env...), os.Stderr
	said, err := p.watched(cmd)
	if len(said) > 0 {
		if broken := json.Unmarshal(said, &state); broken != nil {
			p.Fatalf("%v: %s", broken, said)
		}
	}
	state.Steps = slices.DeleteFunc(state.Steps, func(s carriedStep) bool { return s.Kind == "lost" }) // they are in Spent
	return state, err
}

// work does a task of a role.
func (p *lacking) work(agent, role string) error {
	p.Helper()
	cmd := exec.CommandContext(p.Context(), p.assent, "work", "--agent", agent, "--role", role, "--once", "--command", p.claude)
	cmd.Dir, cmd.Env, cmd.Stderr = p.ws, p.env, os.Stderr
	_, err := p.watched(cmd)
	return err
}

// watched runs a process that a turn may kill.
func (p *lacking) watched(cmd *exec.Cmd) (said []byte, err error) {
	p.Helper()
	var out strings.Builder
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		p.Fatal(err)
	}
	p.killed.Store(cmd.Process)
	err = cmd.Wait()
	return []byte(out.String()), err
}

// wasKilled requires that a process ended by SIGKILL.
func (p *lacking) wasKilled(when string, err error) {
	p.Helper()
	if exit := new(exec.ExitError); !errors.As(err, &exit) || exit.Exited() {
		p.Fatalf("%s: it ended with %v", when, err)
	}
}

// builders do the tasks, each with its role.
func builders() [][2]string {
	return [][2]string{{"scout", "researcher"}, {"smith", "developer"}, {"scout", "analyst"}, {"scout", "writer"}}
}

// carriedStep is a step of a mission.
type carriedStep struct {
	Kind, Outcome string
	Runs, Ready   []string
	Gaps          []struct{ Name string }
}

// finish checks the last answer, and what the record says: so many runs of the mission's command, and workers, were killed.
func (p *lacking) finish(run string, last carried, err error, lost, workers int) {
	p.Helper()
	kinds := ""
	for _, step := range last.Steps {
		kinds += step.Kind + " "
	}
	if err != nil || kinds != "begun ran heard asked ready ran heard ended " || last.Steps[len(last.Steps)-1].Outcome != "success" || p.model.Left() > 0 || last.Spent.Rounds != 2 || last.Spent.Tokens == 0 || last.Spent.Lost != lost || last.Spent.Work.Runs != 4 || last.Spent.Work.Lost != workers {
		for _, r := range p.model.Requests() {
			p.Logf("%s", r.Last[max(0, len(r.Last)-1500):])
		}
		p.Fatalf("%v: %+v, %d turns left", err, last, p.model.Left())
	}
	if heard := last.Steps[2].Gaps; len(heard) != 1 || heard[0].Name != "tie-knot" {
		p.Errorf("heard %v", heard)
	}
	var shown struct {
		Jobs map[string]struct{ By, Status string }
	}
	if err := json.Unmarshal([]byte(p.run(p.ws, p.assent, "run", "show", run, "--json")), &shown); err != nil {
		p.Fatal(err)
	}
	for job, by := range map[string]string{"research": "scout", "implement": "smith", "validate": "scout", "document": "scout"} {
		if got := shown.Jobs[job]; !strings.Contains(got.By, by) || got.Status != "done" {
			p.Errorf("%s is %+v, want it done by %s", job, got, by)
		}
	}
}

// TestClaudeCodeMission: the real client lacks a skill in a mission. assent hears it, the client does
// the tasks of the acquisition, a person approves the result once, and the client goes on with it.
func TestClaudeCodeMission(t *testing.T) {
	p := lack(t, false)
	first, err := p.mission(p.assent, nil, "BEGIN-HERE tie the boat to the pier", "--agent", "scout", "--wait", "0s")
	if err == nil || len(first.Steps) != 4 || len(first.Steps[3].Runs) != 1 {
		t.Fatalf("%v %+v", err, first)
	}
	run := first.Steps[3].Runs[0]
	for _, who := range builders() {
		if err := p.work(who[0], who[1]); err != nil {
			t.Fatal(who, err)
		}
	}
	p.run(p.ws, p.assent, "review", run, "approve", "--reason", "read it")
	last, err := p.mission(p.assent, nil, "--wait", "1m")
	p.finish(run, last, err, 0, 0)
}

// TestClaudeCodeMissionKilled is TestClaudeCodeMission with kill -9 in each phase: while the client works, in each
// task, after each step of the mission's journal, and in the retried step.
func TestClaudeCodeMissionKilled(t *testing.T) {
	p := lack(t, true)
	tested, err := exec.LookPath("assent") // the test's own program knows TEST_ASSENT_KILL
	if err != nil {
		t.Fatal(err)
	}
	var who struct{ Key string }
	if err := json.Unmarshal([]byte(p.run(p.ws, p.assent, "whoami", "--json")), &who); err != nil {
		t.Fatal(err)
	}
	journal := filepath.Join(filepath.Dir(filepath.Dir(who.Key)), "missions", "m-1", "journal.jsonl")
	after := func(kind string) []string {
		return []string{fmt.Sprintf(`TEST_ASSENT_KILL=%s:"kind":%q`, journal, kind)}
	}

	_, err = p.mission(p.assent, nil, "BEGIN-HERE tie the boat to the pier", "--agent", "scout", "--wait", "0s")
	p.wasKilled("the first attempt", err)
	for _, kind := range []string{"ran", "heard", "asked"} {
		_, err := p.mission(tested, after(kind), "--wait", "0s")
		p.wasKilled("after "+kind, err)
	}
	waits, err := p.mission(p.assent, nil, "--wait", "0s")
	if err == nil || len(waits.Steps) != 4 || len(waits.Steps[3].Runs) != 1 {
		t.Fatalf("%v %+v", err, waits)
	}
	run := waits.Steps[3].Runs[0]
	for _, who := range builders() {
		p.wasKilled(who[1], p.work(who[0], who[1]))
		if err := p.work(who[0], who[1]); err != nil {
			t.Fatal(who, err)
		}
	}
	p.run(p.ws, p.assent, "review", run, "approve", "--reason", "read it")
	_, err = p.mission(tested, after("ready"), "--wait", "1m")
	p.wasKilled("after ready", err)
	_, err = p.mission(p.assent, nil, "--wait", "1m")
	p.wasKilled("the retried step", err)
	last, err := p.mission(p.assent, nil, "--wait", "1m")
	p.finish(run, last, err, 2, 4)
}
