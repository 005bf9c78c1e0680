package sandbox_test

import (
	"bufio"
	"io"
	"os"
	"testing"

	"github.com/assent-dev/assent/engine/sandbox"
)

// TestUsers: concurrent programs have separate user namespaces, so that the kernel counts the
// processes of each. Consecutive programs may share one.
func TestUsers(t *testing.T) {
	box := isolating(t)
	start := func() (namespace string, p *sandbox.Process) {
		t.Helper()
		// Seven of eight processes.
		p, err := box.Start(t.Context(), sandbox.Spec{Limits: sandbox.Limits{Processes: 8}, Args: []string{"bash", "-c",
			`for i in 1 2 3 4 5 6; do sleep 60 & done; read -r ns < <(readlink /proc/self/ns/user); echo "$ns"; read -r end`}})
		if err != nil {
			t.Fatal(err)
		}
		namespace, err = bufio.NewReader(p.Stdout).ReadString('\n')
		if err != nil || namespace == "\n" {
			t.Fatalf("%q, %v: %s", namespace, err, p.Wait().Stderr)
		}
		return namespace, p
	}
	end := func(p *sandbox.Process) {
		t.Helper()
		if err := p.Stdin.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, p.Stdout); err != nil {
			t.Fatal(err)
		}
		if r := p.Wait(); r.Ended != sandbox.Exited || len(r.Stderr) > 0 {
			t.Errorf("%+v: %s", r, r.Stderr)
		}
	}
	first, a := start()
	second, b := start()
	if first == second {
		t.Error("two at once are in", first)
	}
	end(a)
	third, c := start()
	if third == second || os.Geteuid() == 0 && third != first {
		t.Errorf("after %s and beside %s: %s", first, second, third)
	}
	c.Kill()
	c.Wait()
	end(b)
	fourth, d := start()
	end(d)
	if os.Geteuid() == 0 && fourth != second && fourth != third {
		t.Errorf("neither %s nor %s was used again: %s", second, third, fourth)
	}
}
