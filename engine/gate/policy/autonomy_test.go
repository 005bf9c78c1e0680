package policy_test

import (
	"testing"

	"github.com/assent-dev/assent/engine/gate/policy"
)

func TestModeFor(t *testing.T) {
	a := policy.Autonomy{
		Default: policy.Assisted,
		Agents:  map[string]policy.Mode{"loose": policy.Autonomous, "tight": policy.Manual},
		Kinds:   map[string]policy.Mode{"soul": policy.Manual, "revise": policy.Autonomous},
	}
	for _, c := range []struct {
		agent, kind string
		proven      bool
		want        policy.Mode
	}{
		{"other", "add", true, policy.Assisted},
		{"loose", "add", true, policy.Autonomous},
		{"loose", "add", false, policy.Assisted},
		{"tight", "add", false, policy.Manual},
		{"loose", "soul", true, policy.Manual},
		{"tight", "revise", true, policy.Manual},
		{"tight", "revise", false, policy.Manual},
		{"other", "revise", false, policy.Autonomous},
		{"other", "soul", false, policy.Manual},
	} {
		if got := a.ModeFor(c.agent, c.kind, c.proven); got != c.want {
			t.Errorf("%s, %s, proven %v: %s, want %s", c.agent, c.kind, c.proven, got, c.want)
		}
	}
	if got := (policy.Autonomy{}).ModeFor("x", "add", true); got != policy.Manual {
		t.Errorf("the zero value gives %s", got)
	}
}

// TestModeOf: who proposes or pushes in another's name keeps the own mode where that is stricter.
func TestModeOf(t *testing.T) {
	p := policy.Policies{Autonomy: policy.Autonomy{Default: policy.Assisted, Agents: map[string]policy.Mode{"tight": policy.Manual, "loose": policy.Autonomous}}}
	for _, c := range []struct {
		agent, proposer, pusher string
		want                    policy.Mode
	}{
		{"other", "other", "other", policy.Assisted},
		{"other", "tight", "other", policy.Manual},
		{"other", "other", "tight", policy.Manual},
		{"tight", "other", "other", policy.Manual},
		{"other", "loose", "loose", policy.Assisted},
	} {
		f := policy.Facts{}
		f.Agent, f.Proposer, f.Pushers = c.agent, policy.Actor{Name: c.proposer}, []policy.Actor{{Name: c.pusher}}
		if got := policy.ModeOf(p, f, policy.Risk{}); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
