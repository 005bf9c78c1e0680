package runlog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// ArtifactsPrefix is where refs keep the artifacts of runs, one ref RUN.COMMIT for each commit. Journals
// are kept for ever, so no event names these commits as parents.
const ArtifactsPrefix = "refs/assent/artifacts/"

func artifactsRef(id, commit string) string { return ArtifactsPrefix + id + "." + commit }

// ParseArtifacts returns what the name of a ref below ArtifactsPrefix says; ok is false for another name.
func ParseArtifacts(ref string) (id string, commit tree.Hash, ok bool) {
	name, below := strings.CutPrefix(ref, ArtifactsPrefix)
	id, text, _ := strings.Cut(name, ".")
	commit, err := tree.ParseHash(text)
	return id, commit, below && IsID(id) && err == nil && commit.String() == text
}

// keeping returns the move that keeps a record's artifacts. It happens before the record.
func keeping(id string, r run.Record) ([]gitstore.RefUpdate, error) {
	if r.Artifacts == nil {
		return nil, nil
	}
	commit, err := tree.ParseHash(r.Artifacts.Commit)
	if err != nil {
		return nil, fmt.Errorf("the artifacts of job %q: %w", r.Job, err)
	}
	return []gitstore.RefUpdate{{Name: artifactsRef(id, r.Artifacts.Commit), New: commit, Any: true, Reflog: "assent: artifacts"}}, nil
}

// HasArtifacts reports whether the artifacts of a run are still kept here.
func (l Log) HasArtifacts(id string, a run.Artifacts) (bool, error) {
	at, err := l.repo.Ref(artifactsRef(id, a.Commit))
	if errors.Is(err, gitstore.ErrNoRef) {
		return false, nil
	}
	return err == nil && at.String() == a.Commit, err
}

// Outdated reports whether the artifacts of a run may go: it ended at least keep before now. Those of a run
// that is not here, or cannot be read, stay.
func (l Log) Outdated(id string, now time.Time, keep time.Duration) bool {
	s, err := l.Read(id)
	return err == nil && s.Outcome != "" && now.Sub(s.At) >= keep
}

// DropArtifacts removes the refs of at most most outdated commits of artifacts, and returns how many others are left.
// git gc then frees their space.
func (l Log) DropArtifacts(ctx context.Context, now time.Time, keep time.Duration, most int) (removed, left int, err error) {
	refs, err := l.repo.Refs(ArtifactsPrefix)
	if _, err = gitstore.BrokenRefs(err); err != nil {
		return 0, 0, fmt.Errorf("list the artifacts: %w", err)
	}
	outdated := map[string]bool{}
	var drops []gitstore.RefUpdate
	for _, ref := range refs {
		id, _, ok := ParseArtifacts(ref.Name)
		if _, known := outdated[id]; ok && !known {
			outdated[id] = l.Outdated(id, now, keep)
		}
		if ok && outdated[id] {
			drops = append(drops, gitstore.RefUpdate{Name: ref.Name, Old: ref.Hash, Reflog: "assent: maintenance"})
		}
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
	}
	left = max(0, len(drops)-most)
	for batch := range slices.Chunk(drops[left:], journal.MaxFold) {
		err := l.agree(ctx, "", func(repo *gitstore.Repo) error {
			n, err := journal.Remove(repo, batch)
			removed += n
			return err
		})
		if err != nil {
			return removed, left, fmt.Errorf("artifacts of runs: %w", err)
		}
	}
	return removed, left, nil
}

// CountArtifacts returns the number of commits of artifacts.
func (l Log) CountArtifacts() (int, error) {
	refs, err := l.repo.Refs(ArtifactsPrefix)
	_, err = gitstore.BrokenRefs(err)
	return len(refs), err
}
