package stress_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/assent-dev/assent/engine/cli/clitest"
)

// The program is this test binary under another name, so it is built once and with
// the race detector where the tests are.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"assent": func() { os.Exit(clitest.Main()) },
		"engine": func() {
			if err := runEngine(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		},
	})
}

// seed returns the requested seed, or a new one; it logs either.
func seed(t *testing.T) uint64 {
	t.Helper()
	s := uint64(time.Now().UnixNano())
	if given := os.Getenv("ASSENT_STRESS_SEED"); given != "" {
		var err error
		if s, err = strconv.ParseUint(given, 10, 64); err != nil {
			t.Fatalf("ASSENT_STRESS_SEED: %v", err)
		}
	}
	t.Logf("ASSENT_STRESS_SEED=%d repeats these choices", s)
	return s
}

func dice(seed uint64, stream int) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(stream))) }

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func name(prefix string, r *rand.Rand) string { return fmt.Sprintf("%s-%08x", prefix, r.Uint32()) }
