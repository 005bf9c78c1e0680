package clients_test

import (
	"encoding/json"
	"testing"
)

// TestClaudeCodeMissionInTerminal is TestClaudeCodeMission by one command in a terminal: a person reads there who does
// what, and types the command that it shows when only the approval is missing.
func TestClaudeCodeMissionInTerminal(t *testing.T) {
	p := lack(t, false)
	s := p.terminal(p.assent, "mission", "run", "BEGIN-HERE tie the boat to the pier", "--id", "m-1", "--agent", "scout", "--poll", "1s", "--command", p.claude+" --output-format json")
	s.until("m-1 round 1: the command runs, 0s")
	s.until("it lacked tie-knot (skill)")
	s.until("/research waits for researcher assent work --role researcher --agent scout --command LINE")
	var open []struct{ ID string }
	if err := json.Unmarshal([]byte(p.run(p.ws, p.assent, "runs", "--json")), &open); err != nil || len(open) != 1 {
		t.Fatal(open, err)
	}
	run := open[0].ID
	for _, who := range builders() {
		if err := p.work(who[0], who[1]); err != nil {
			t.Fatal(who, err)
		}
	}
	s.until(run + "/implement done by smith")
	s.until("m-1 waits for an approval only, 0s")
	s.until("assent review " + run)
	p.run(p.ws, p.assent, "review", run, "approve", "--reason", "read it")
	s.until("in force: tie-knot; the command runs again")
	s.until("m-1 round 2: the command runs")
	s.until("success: the mission m-1")
	if p.model.Left() > 0 {
		t.Errorf("%d turns left", p.model.Left())
	}
}
