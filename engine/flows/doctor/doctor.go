package doctor

import (
	"context"
	"time"

	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
)

// Surroundings are what an examination takes from the process.
type Surroundings struct {
	Open func() (*workspace.Workspace, error)
	Now  func() time.Time
	// Getenv reads the environment.
	Getenv func(string) string
	// Git runs the git program in a folder; gitrun.ErrNoGit when there is none.
	Git func(ctx context.Context, dir string, args ...string) (string, error)
	// Key is where the user's signing key is looked for.
	Key func(*workspace.Workspace) (string, error)
	// Service is the service that shows the workspace's pull requests: hosted is false
	// without one, and the host nil where nobody is logged in.
	Service func(context.Context, *workspace.Workspace) (h host.Host, hosted bool, err error)
	// Hint says what to do about an error; empty when nobody knows.
	Hint func(error) string
	// Remote is the remote whose journals are compared with those here; empty compares none.
	Remote string
	// JournalRefs is the refspec by which journals are fetched. FetchesJournals
	// reports whether it is set for origin, FollowJournals sets it.
	JournalRefs     string
	FetchesJournals func(context.Context, *gitstore.Repo) (bool, error)
	FollowJournals  func(context.Context, *gitstore.Repo) error
}

// stages lists every check, in the order in which they are made and shown. What a
// stage needs, the one before it has found: a repository, and what is in force in it.
func stages() (machine, repository, inForce []func(*examination)) {
	return []func(*examination){
			(*examination).git, (*examination).state, (*examination).sandbox,
		}, []func(*examination){
			(*examination).repository, (*examination).identity, (*examination).shallow, (*examination).locks, (*examination).refs,
			(*examination).symbolicMain, (*examination).replaced, (*examination).environment,
			(*examination).settings, (*examination).programs, (*examination).hooks, (*examination).origin, (*examination).hub,
		}, []func(*examination){
			(*examination).standing, (*examination).content, (*examination).folders, (*examination).clock, (*examination).format, (*examination).policies, (*examination).people,
			(*examination).reviewer, (*examination).souls, (*examination).proposals, (*examination).leftovers, (*examination).checkouts, (*examination).service,
		}
}

// Examine makes every check that can be made and changes nothing.
func Examine(ctx context.Context, s Surroundings) []Finding {
	e := &examination{Surroundings: s, ctx: ctx}
	machine, repository, inForce := stages()
	e.make(machine)
	var err error
	if e.w, err = s.Open(); err != nil {
		e.broke("repository", err)
		return e.found
	}
	e.make(repository)
	if e.cur, _, err = e.w.Look(ctx); err != nil {
		e.broke("in force", err)
		return e.found
	}
	e.make(inForce)
	return e.found
}

func (e *examination) make(checks []func(*examination)) {
	for _, look := range checks {
		look(e)
	}
}

// rounds bounds how often Mend looks again: what one mend uncovers is mended, too.
const rounds = 3

// Mend mends what can be mended, and returns what it did, followed by what is found
// then. What could not be mended is told as a failure and found again.
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
