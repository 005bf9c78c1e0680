package reconcile

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/proposals/quarantine"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/tools/machine"
	"github.com/assent-dev/assent/engine/workspace"
)

// healthSubject is the subject of actions about all tools and servers in force.
const healthSubject = "tools"

// checkHealth runs the due tests, records their outcomes and follows them up. If nothing
// can be isolated, it runs no test and follows up the recorded states. A machine that forgets, because
// it is created for each pass, records nothing: each pass would leave a journal of trials.
func checkHealth(ctx context.Context, w *workspace.Workspace, forgets bool, r *Result) error {
	cur, err := w.Session(ctx)
	if err != nil {
		return err
	}
	home, err := keys.Home()
	if err != nil {
		return err
	}
	k := quarantine.Keeper{W: w, Engine: true, Store: workspace.HealthOf(cur), Packages: filepath.Join(home, "packages")}
	k.Store.Forgets = forgets
	all, err := quarantine.Survey(ctx, cur, k.Store, w.Now())
	if err != nil {
		return err
	}
	said, err := checkDue(ctx, cur, &k, all, r)
	if err != nil {
		return err
	}
	followed, err := k.FollowAll(ctx, cur, all, false)
	for _, f := range followed {
		switch {
		case f.Opened:
			said = append(said, "opened "+f.ID)
		case f.Withdrawn:
			said = append(said, "withdrew "+f.ID)
		default:
			said = append(said, "no proposal: "+f.Why)
		}
	}
	if r.Reason = strings.Join(said, "; "); r.Reason == "" {
		r.Outcome = Nothing
	}
	return err
}

func checkDue(ctx context.Context, cur workspace.Session, k *quarantine.Keeper, all []quarantine.Subject, r *Result) (said []string, err error) {
	var due []quarantine.Subject
	var at []int
	for i, s := range all {
		if s.Due {
			due, at = append(due, s), append(at, i)
		}
	}
	r.Outcome = Checked
	if len(due) == 0 {
		return nil, nil
	}
	if k.Runner, err = sandbox.OrRefusing(machine.Sandbox(ctx, cur.ID(), cur.Policies)); err != nil {
		return nil, err
	}
	checked, err := k.Check(ctx, cur, due, false)
	var no *sandbox.Refusal
	if errors.As(err, &no) {
		r.Outcome = Skipped
		return []string{fmt.Sprintf("the tests of %d capabilities are due and did not run, because nothing can be isolated here: %s (%s)", len(due), no.Why, no.Fix)}, nil
	}
	if err != nil {
		return nil, err
	}
	count := map[health.State]int{}
	for i, done := range checked {
		all[at[i]] = done.Subject
		count[done.Health.State]++
	}
	for _, s := range health.States() {
		if count[s] > 0 {
			said = append(said, fmt.Sprintf("%d %s", count[s], s))
		}
	}
	return []string{"tested " + fmt.Sprint(len(checked)) + ": " + strings.Join(said, ", ")}, nil
}

// measure counts the capabilities in force by health, for monitoring. If that fails, the
// pass continues.
func (p *pass) measure(ctx context.Context) {
	cur, err := p.w.Session(ctx)
	if err != nil {
		p.failed = append(p.failed, err)
		return
	}
	states, err := quarantine.States(cur, workspace.HealthOf(cur))
	if err != nil {
		p.failed = append(p.failed, err)
		return
	}
	p.Health = map[health.State]int{}
	for _, s := range states {
		p.Health[s]++
	}
}
