package clitest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// year records a year of missions, two a day until yesterday, as the engine would have:
//
//	year FOLDER WORKSPACE
//
// count-stock was needed in the first three months only. weigh-parcels is in every second mission and helps,
// guess-prices in every second one and harms, say-hello in all and changes nothing; never-used is in none. No two
// missions have the same text, and each third use was not linked.
func year(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: year FOLDER WORKSPACE")
	}
	repo, err := gitstore.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	const days = 364
	random := rand.New(rand.NewPCG(19, 12))
	begun := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -days).Add(9 * time.Hour)
	for d := range days {
		at := begun.AddDate(0, 0, d)
		var all []trial.Observation
		for n := range 2 {
			used, chance := []string{"say-hello"}, 0.6
			if random.IntN(2) == 0 {
				used, chance = append(used, "weigh-parcels"), chance+0.3
			}
			if random.IntN(2) == 0 {
				used, chance = append(used, "guess-prices"), chance-0.4
			}
			if d < 90 && n == 0 {
				used = append(used, "count-stock")
			}
			outcome := trial.Failure
			if random.Float64() < chance {
				outcome = trial.Success
			}
			task := fmt.Sprintf("Greet customer %d of %s at the %s", 2*d+n, []string{"Ada", "Bob", "Cleo"}[d%3], []string{"mill", "market"}[n])
			for i, name := range used {
				use := trial.Observation{At: at, Capability: name, Mission: fmt.Sprintf("m-%d-%d", d, n), Model: "large", Tokens: 60, Task: task, InputSummary: strings.ToLower(task)}
				verdict := use
				verdict.Source, verdict.Outcome, verdict.Tokens = trial.Human, outcome, 0
				loaded := use
				loaded.Source, loaded.Level = trial.Engine, trial.Loaded
				if loaded.InputSummary = ""; i == 0 || (d+i)%3 > 0 {
					all = append(all, trial.LinkOf(use))
				}
				all = append(all, loaded, verdict)
			}
		}
		_, err := triallog.New(repo, args[1], func() time.Time { return at }).Record(context.Background(), all...)
		ts.Check(err)
	}
}
