package checkpoint

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/tree"
)

// Version is the version of the format that this package writes, and the only one
// that it reads.
const Version = 1

// MaxSize bounds a checkpoint, in bytes: some 300 000 journals with refs of their own.
const MaxSize = 64 << 20

// Checkpoint is where a workspace's record ended at one instant.
type Checkpoint struct {
	// V is the format's version; see Version.
	V int `json:"v"`
	// Workspace is the workspace's genesis commit and id.
	Workspace tree.Hash `json:"workspace"`
	// At is when it was taken, in UTC and whole seconds: the clock of the signer.
	At time.Time `json:"at"`
	// Engine is the version of the program that verified the record.
	Engine string `json:"engine"`
	// Main is the tip of main, the last of Commits on its first-parent line, the
	// genesis commit included.
	Main    tree.Hash `json:"main"`
	Commits int       `json:"commits"`
	// InForce is the commit that was in force.
	InForce tree.Hash `json:"in_force"`
	// Journals are those with a ref of their own, by ref.
	Journals []Journal `json:"journals"`
	// Folds are the ends of the lines that hold the folded ones, by ref.
	Folds []Fold `json:"folds"`
}

// Journal is where one journal ended: at Head, the last of Events.
type Journal struct {
	Ref    string    `json:"ref"`
	Head   tree.Hash `json:"head"`
	Events int       `json:"events"`
}

// Fold is where one line of folded journals ended.
type Fold struct {
	Ref  string    `json:"ref"`
	Head tree.Hash `json:"head"`
}

// Check reports the first thing that makes c unfit for signing.
func (c Checkpoint) Check() error {
	switch {
	case c.V != Version:
		return fmt.Errorf("checkpoint version %d; this program reads %d: update assent", c.V, Version)
	case c.Workspace.IsZero() || c.Main.IsZero() || c.InForce.IsZero() || c.Commits < 1 || c.Engine == "":
		return errors.New("workspace, main, commits, in_force and engine must be known")
	case canonical.CheckInstant(c.At) != nil:
		return fmt.Errorf("at %w", canonical.CheckInstant(c.At))
	case c.Journals == nil || c.Folds == nil:
		return errors.New("journals and folds: want lists, if empty ones")
	case !ascending(c.Journals, func(j Journal) string { return j.Ref }) || !ascending(c.Folds, func(f Fold) string { return f.Ref }):
		return errors.New("journals and folds: want each ref once, sorted")
	}
	for _, j := range c.Journals {
		if j.Head.IsZero() || j.Events < 1 {
			return fmt.Errorf("%s: want its last event and their number", j.Ref)
		}
	}
	for _, f := range c.Folds {
		if f.Head.IsZero() {
			return fmt.Errorf("%s: want its last fold", f.Ref)
		}
	}
	return nil
}

// ascending reports whether all refs are refs and each is greater than the last.
func ascending[T any](list []T, ref func(T) string) bool {
	last := ""
	for _, v := range list {
		if !strings.HasPrefix(ref(v), "refs/") || ref(v) <= last {
			return false
		}
		last = ref(v)
	}
	return true
}

// Encode returns the canonical bytes, which are signed: indented JSON. It fails when
// Check does.
func (c Checkpoint) Encode() ([]byte, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	data, err := canonical.Text(c)
	if err != nil {
		return nil, fmt.Errorf("encode a checkpoint: %w", err)
	}
	return data, nil
}

// Decode reads canonical bytes and refuses all others, so that one checkpoint has
// one signable form.
func Decode(data []byte) (Checkpoint, error) {
	c, err := canonical.Decode[Checkpoint](data, MaxSize)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("checkpoint: %w", err)
	}
	return c, nil
}

// Sort brings lists into the order of their refs.
func (c *Checkpoint) Sort() {
	slices.SortFunc(c.Journals, func(a, b Journal) int { return strings.Compare(a.Ref, b.Ref) })
	slices.SortFunc(c.Folds, func(a, b Fold) int { return strings.Compare(a.Ref, b.Ref) })
}
