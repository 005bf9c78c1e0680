package measure_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/bench/measure"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == measure.Stage {
		os.Exit(measure.Staged(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// Samples take turns, forwards and backwards, and the first turn does not count.
func TestMedians(t *testing.T) {
	var order string
	sample := func(name string, values ...float64) measure.Sample {
		return func() (float64, error) {
			order += name
			v := values[0]
			values = values[1:]
			return v, nil
		}
	}
	got, err := measure.Rounds{Least: 3, Most: 3}.Medians(t.Context(), sample("a", 100, 3, 1, 2), sample("b", 0, 5, 5, 50))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]float64{2, 5}, got); d != "" || order != "abbaabba" {
		t.Errorf("order %s, medians %s", order, d)
	}
	got, err = measure.Rounds{Least: 2, Most: 2}.Medians(t.Context(), sample("a", 100, 3, 1))
	if err != nil || got[0] != 2 {
		t.Errorf("the median of 1 and 3 is %v, %v", got, err)
	}
	broken := errors.New("broken")
	if _, err := (measure.Rounds{Least: 1}).Medians(t.Context(), func() (float64, error) { return 0, broken }); !errors.Is(err, broken) {
		t.Errorf("a sample that fails gave %v", err)
	}
}

// A process that takes memory is told from one that takes none, although the one
// that starts both is large.
func TestRun(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: no process is measured")
	}
	large := make([]byte, 256<<20)
	for i := range large {
		large[i] = 1
	}
	u, err := measure.Run(t.Context(), t.TempDir(), "git", "--version")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(u.Output), "git version") || u.Seconds <= 0 {
		t.Errorf("git said %q after %v s", u.Output, u.Seconds)
	}
	if u.Memory > int64(len(large))/2 {
		t.Errorf("git --version took %d bytes: that is the memory of this process", u.Memory)
	}
	if large[len(large)-1] != 1 {
		t.Error("the memory was given back too early")
	}
	_, err = measure.Run(t.Context(), t.TempDir(), "git", "no-such-command")
	if err == nil || !strings.Contains(err.Error(), "no-such-command") {
		t.Errorf("a command that fails gave %v", err)
	}
}
