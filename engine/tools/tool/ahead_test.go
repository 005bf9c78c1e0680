package tool

import (
	"context"
	"errors"
	"os/exec"
	"testing"

	"github.com/assent-dev/assent/engine/gate/stop"
	"github.com/assent-dev/assent/engine/sandbox"
)

// TestWarmBox: what was prepared for a program serves no call that the workspace does not admit any more, and no
// other content.
func TestWarmBox(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	all := map[string]string{}
	files(all, "count", program("python", "main.py"), map[string]string{"scripts/main.py": "import os\nprint(len(os.listdir('/proc')) and 1)\n"})
	warm := &Warm{}
	t.Cleanup(warm.Close)
	engine := func() *Engine {
		e := engine(t, all)
		e.Warm = warm
		e.Runner = func(ctx context.Context) (sandbox.Runner, error) {
			b, err := warm.Box(ctx)
			if refused := (*sandbox.Refusal)(nil); errors.As(err, &refused) {
				t.Skip(err)
			}
			return b, err
		}
		return e
	}
	answers := func(e *Engine, want string) {
		t.Helper()
		if res := do(t, e, "count", ""); string(res.Result) != want {
			t.Errorf("answers %s %s, want %s", res.Result, res.Error, want)
		}
	}
	refuses := func(e *Engine, want ErrorType) {
		t.Helper()
		if res := do(t, e, "count", ""); res.Type != want || res.Result != nil {
			t.Errorf("answers %s, %s %s, want %s", res.Result, res.Type, res.Error, want)
		}
	}
	answers(engine(), "1")
	first := warm.box
	answers(engine(), "1")
	// A human stops it.
	stopped := engine()
	stopped.Stopped = func(string) (stop.Held, bool, error) { return stop.Held{}, true, nil }
	refuses(stopped, Stopped)
	// Policies admit no tool any more, then not its host.
	all["policies/autonomy.yaml"] = "executables: [mcp]\n"
	refuses(engine(), NotAllowed)
	all["policies/autonomy.yaml"] = "executables: [tool]\n"
	answers(engine(), "1")
	files(all, "count", program("python", "main.py")+"requires: {hosts: [\"example.org:443\"]}\n", nil)
	refuses(engine(), HostRefused)
	// Other content and rights run, not what was prepared before.
	files(all, "count", program("python", "main.py"), map[string]string{"scripts/main.py": "print(2)\n"})
	answers(engine(), "2")
	files(all, "count", program("python", "main.py"), map[string]string{"scripts/main.py": "import resource\nprint(resource.getrlimit(resource.RLIMIT_DATA)[0] >> 20)\n"})
	answers(engine(), "512")
	all["policies/limits.yaml"] = "memory_per_call: 100MiB\n"
	answers(engine(), "100")
	if warm.box != first {
		t.Error("the machine was tried out again")
	}
}
