package doctor

import (
	"context"
	"time"

	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
)

// Surroundings are the inputs of an examination from the process.
type Surroundings struct {
	Open func() (*workspace.Workspace, error)
	Now  func() time.Time
	// Getenv reads the environment.
	Getenv func(string) string
	// Git runs the git program in a folder; it returns gitrun.ErrNoGit if there is none.
	Git func(ctx context.Context, dir string, args ...string) (string, error)
	// Key is the place of the user's signing key.
	Key func(workspace.Session) (string, error)
	// Service is the service that shows the workspace's pull requests: hosted is false
	// without one, and h is nil without a login.
	Service func(context.Context, *workspace.Workspace) (h host.Host, hosted bool, err error)
	// Hint returns the fix for an error, or "".
	Hint func(error) string
	// Remote is the remote whose journals are compared with those here; empty for none.
	Remote string
	// JournalRefs is the refspec by which journals are fetched. FetchesJournals
	// reports whether it is set for origin, FollowJournals sets it.
	JournalRefs     string
	FetchesJournals func(context.Context, *gitstore.Repo) (bool, error)
	FollowJournals  func(context.Context, *gitstore.Repo) error
}

// check looks at one thing and reports its findings.
type check func(*examination)

// The checks, in the order in which they run and are shown. Each stage needs the results of
// the previous one: first a repository, then its state in force.
var (
	machineChecks    = []check{checkGit, checkState, checkSandbox, checkNotices}
	repositoryChecks = []check{
		checkRepository, checkIdentity, checkHistory, checkLocks, checkRefs, checkMain, checkTags, checkObjects, checkEnvironment,
		checkSettings, checkPrograms, checkHooks, checkJournals, checkHub,
	}
	workspaceChecks = []check{
		checkInForce, checkContent, checkFolders, checkClock, checkFormat, checkPolicies, checkWorkflows, checkRuns, checkPeople, checkKey,
		checkSouls, checkProposals, checkLeftovers, checkTrials, checkCheckouts, checkService,
	}
)

// Examine runs all checks that can run, and changes nothing.
func Examine(ctx context.Context, s Surroundings) []Finding {
	e := &examination{Surroundings: s, ctx: ctx}
	e.run(machineChecks)
	var err error
	if e.w, err = s.Open(); err != nil {
		e.broke("repository", err)
		return e.found
	}
	e.run(repositoryChecks)
	if e.cur, _, err = e.w.Look(ctx); err != nil {
		e.broke("in force", err)
		return e.found
	}
	e.run(workspaceChecks)
	return e.found
}

func (e *examination) run(checks []check) {
	for _, look := range checks {
		look(e)
	}
}

// rounds bounds the repetitions of Mend, which repairs what an earlier repair uncovers.
const rounds = 3

// Mend repairs what can be repaired, and returns its repairs, followed by the findings
// after them. A failed repair is reported as a failure, and its cause is found again.
func Mend(ctx context.Context, s Surroundings) []Finding {
	var done []Finding
	tried := map[string]bool{}
	for range rounds {
		again := false
		for _, f := range Examine(ctx, s) {
			if f.mend == nil || tried[f.Message] {
				continue
			}
			tried[f.Message], again = true, true
			outcome := Finding{Check: f.Check, Status: Mended, Message: f.Message + ": " + f.Mend}
			if err := f.mend(ctx); err != nil {
				outcome = Finding{Check: f.Check, Status: Fails, Message: "could not " + f.Mend + ": " + err.Error(), Fix: f.Fix}
			}
			done = append(done, outcome)
		}
		if !again {
			break
		}
	}
	return append(done, Examine(ctx, s)...)
}
