package propose

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
)

// Finding is what a program proposes by itself. The ids of its proposals follow from it, so that any number of
// processes and clones open one. Anyone can compute them, and write journals of these ids beforehand: Standing says
// which of them count.
type Finding struct {
	Title string
	Key   []string
	// Is reports whether a proposal was opened with the change that the finding calls for: changes are all but those
	// of proposals' own files.
	Is func(before, after tree.View, changes []tree.Change) (bool, error)
	// Known reports whether a proposal that is no longer open rests on the same; nil means yes.
	Known func(forge.Pull) bool
	// Reopens is set if a withdrawn proposal is to be taken up again.
	Reopens bool
}

// After returns the id of the proposal that follows an earlier one; of the first, after "".
func (f Finding) After(earlier string) string {
	text := strings.Join(f.Key, "\x00")
	if earlier != "" {
		text += "\x00after\x00" + earlier
	}
	sum := sha256.Sum256([]byte(text))
	return names.NewProposalID(f.Title, [5]byte(sum[:5]))
}

// followers bounds the proposals in a row that are known as ones about a finding.
const followers = 50

// Names reports whether an id is that of a proposal about the finding.
func (f Finding) Names(id string) bool {
	for at := range f.IDs() {
		if at == id {
			return true
		}
	}
	return false
}

// IDs yields the ids of its proposals, in the order in which they are taken.
func (f Finding) IDs() iter.Seq[string] {
	return func(yield func(string) bool) {
		id := ""
		for range followers {
			if id = f.After(id); !yield(id) {
				return
			}
		}
	}
}

// Taken says that no id is left for the proposal of a finding.
type Taken struct{ first string }

// Error names the first id.
func (t *Taken) Error() string {
	return fmt.Sprintf("%d journals that were not written for it have the ids of its proposal, the first %s; assent doctor names damaged ones: remove their refs", followers, t.first)
}

// Standing returns the proposal of a finding that is open, or settles it; or, with no ID in pull, the id to propose it
// under. The invariant: a journal that the finding's program did not begin, or that ended without a decision that
// counts, settles nothing, and one that cannot be read stops nothing. A rejection settles a finding if a listed human
// made it. One by a listed agent, a withdrawal and an expiry settle it for as long as the proposal would have waited.
func Standing(ctx context.Context, cur workspace.Session, from forge.Forge, f Finding) (id string, pull forge.Pull, err error) {
	for id := range f.IDs() {
		pull, err = from.Get(ctx, id)
		if errors.Is(err, forge.ErrNotFound) {
			return id, forge.Pull{}, nil
		}
		var damaged *forge.Damaged
		//defence:damaged-journals-stop-no-finding
		if errors.As(err, &damaged) {
			continue
		}
		if err != nil {
			return "", pull, err
		}
		settled, err := f.settledBy(ctx, cur, from, pull)
		if err != nil || settled {
			return id, pull, err
		}
	}
	return "", forge.Pull{}, &Taken{f.After("")}
}

func (f Finding) settledBy(ctx context.Context, cur workspace.Session, from forge.Forge, p forge.Pull) (bool, error) {
	if p.State != forge.Open && f.Known != nil && !f.Known(p) {
		return false, nil
	}
	if p.State == forge.Merged {
		return true, nil
	}
	activity, err := from.Activity(ctx, p.ID)
	if err != nil {
		return false, fmt.Errorf("read %s: %w", p.ID, err)
	}
	asks, err := f.opened(cur, p, activity)
	//defence:findings-know-their-proposals
	if err != nil || !asks {
		return false, err
	}
	now := cur.Now()
	switch {
	case p.State == forge.Open, f.Reopens && p.Why == string(proposal.Withdrawn):
		return true, nil
	case p.Why == string(proposal.Rejected):
		human, listed := workspace.Rejected(cur, p, activity)
		//defence:findings-are-rejected-by-people
		if !listed {
			return false, nil
		}
		if human {
			return true, nil
		}
	}
	//defence:ends-ahead-settle-nothing
	if p.Updated.After(now.Add(policy.ClockSkew)) {
		return false, nil
	}
	return now.Before(p.Updated.Add(cur.Policies.Limits.Expiry)), nil
}

// opened reports whether a proposal was opened with the change of the finding, whatever was pushed to it since.
func (f Finding) opened(cur workspace.Session, p forge.Pull, activity forge.Activity) (bool, error) {
	head := p.Head
	if len(activity.Pushes) > 0 {
		head = activity.Pushes[0].New
	}
	asks, err := f.changes(cur, head)
	if gitstore.IsContent(err) || errors.Is(err, gitstore.ErrNoObject) || errors.Is(err, tree.ErrTooLarge) || errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return asks, err
}

func (f Finding) changes(cur workspace.Session, head tree.Hash) (bool, error) {
	base, err := cur.Repo.MergeBase(cur.Main, head)
	if err != nil {
		return false, err
	}
	before, err := cur.Repo.Snapshot(base)
	if err != nil {
		return false, err
	}
	after, err := cur.Repo.Snapshot(head)
	if err != nil {
		return false, err
	}
	all, err := tree.Diff(before, after)
	if err != nil {
		return false, err //nolint:wrapcheck // the caller names the proposal
	}
	var changes []tree.Change
	for _, c := range all {
		if names.Area(c.Path) != names.ProposalsArea {
			changes = append(changes, c)
		}
	}
	return f.Is(before, after, changes)
}

// Removes is Finding.Is for a change that removes one of some folders, and nothing else.
func Removes(folders ...string) func(before, after tree.View, changes []tree.Change) (bool, error) {
	return func(_, after tree.View, changes []tree.Change) (bool, error) {
		for _, folder := range folders {
			left, err := tree.Exists(after, folder)
			if err != nil {
				return false, err //nolint:wrapcheck // the caller names the proposal
			}
			is := !left && len(changes) > 0
			for _, c := range changes {
				is = is && c.Removed() && strings.HasPrefix(path.Clean(c.Path), folder+"/")
			}
			if is {
				return true, nil
			}
		}
		return false, nil
	}
}
