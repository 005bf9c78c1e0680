package tool

import (
	"testing"
	"time"
)

// TestBounds checks that a call is limited by limits.yaml, whatever the record in force says, and
// otherwise gets the limits of the record.
func TestBounds(t *testing.T) {
	all := map[string]string{"policies/autonomy.yaml": "executables: [tool]\n", "policies/limits.yaml": "time_per_call: 20s\nmemory_per_call: 32MiB\n"}
	add := func(name, runtime, more string) {
		files(all, name, record+"run: {runtime: "+runtime+", entry: scripts/main.star"+more+"}\n",
			map[string]string{"scripts/main.star": "def main(input):\n  return len('x' * input.get('n', 1))\n"})
	}
	add("greedy", "python", ", timeout: 1d, memory: 100GiB")
	add("modest", "python", ", timeout: 5s, memory: 16MiB")
	add("silent", "python", "")
	add("composed", "starlark", ", timeout: 1d, memory: 100GiB")
	e := engine(t, all)
	for _, tc := range []struct {
		name    string
		asked   time.Duration
		timeout time.Duration
		memory  int64
	}{
		{"greedy", 0, 20 * time.Second, 32 << 20}, {"greedy", time.Hour, 20 * time.Second, 32 << 20}, {"greedy", time.Second, time.Second, 32 << 20},
		{"modest", 0, 5 * time.Second, 16 << 20}, {"silent", 0, 20 * time.Second, 32 << 20}, {"composed", 0, 20 * time.Second, 32 << 20},
	} {
		p, err := e.Plan(Call{Name: tc.name, Timeout: tc.asked})
		if err != nil || p.Error != "" {
			t.Fatal(err, p.Error)
		}
		if p.Timeout != tc.timeout || p.Memory != tc.memory {
			t.Errorf("%s for %s: %s and %d bytes, want %s and %d", tc.name, tc.asked, p.Timeout, p.Memory, tc.timeout, tc.memory)
		}
	}
	if res := do(t, e, "composed", `{"n": 1000}`); !res.Success {
		t.Errorf("%+v", res)
	}
	if res := do(t, e, "composed", `{"n": 3900000}`); res.Type != LimitsExceeded {
		t.Errorf("beyond the limit: %s %s", res.Type, res.Error)
	}
}
