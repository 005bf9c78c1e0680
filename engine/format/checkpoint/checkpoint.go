package checkpoint

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
)

// Version is the version of the format that this package writes, and the only one
// that it reads.
const Version = 1

// MaxSize bounds a checkpoint, in bytes: some 300 000 journals with refs of their own.
const MaxSize = 64 << 20

// Checkpoint records the ends of a workspace's history at one instant.
type Checkpoint struct {
	// V is the format's version; see Version.
	V int `json:"v"`
	// Workspace is the workspace's genesis commit and id.
	Workspace tree.Hash `json:"workspace"`
	// At is the time by the signer's clock, in UTC and whole seconds.
	At time.Time `json:"at"`
	// Engine is the version of the program that verified the record.
	Engine string `json:"engine"`
	// Main is the tip of main. Commits counts its first-parent line, including the
	// genesis commit.
	Main    tree.Hash `json:"main"`
	Commits int       `json:"commits"`
	// InForce is the commit that was in force.
	InForce tree.Hash `json:"in_force"`
	// Journals are the journals with a ref of their own, by ref.
	Journals []Journal `json:"journals"`
	// Folds are the ends of the lines of folded journals, by ref.
	Folds []Fold `json:"folds"`
}

// Journal is the end of one journal: Head is the last of its Events.
type Journal struct {
	Ref    string    `json:"ref"`
	Head   tree.Hash `json:"head"`
	Events int       `json:"events"`
}

// Fold is the end of one line of folded journals.
type Fold struct {
	Ref  string    `json:"ref"`
	Head tree.Hash `json:"head"`
}

// Check returns an error for the first fault that prevents signing.
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

// ascending reports whether all names are refs in strictly ascending order.
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

// Encode returns the canonical bytes, which are signed: indented JSON. It fails if Check
// does.
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

// Decode parses canonical bytes and refuses any other encoding, so that a checkpoint has
// one signable form.
func Decode(data []byte) (Checkpoint, error) {
	return canonical.Decode[Checkpoint]("checkpoint", data, MaxSize)
}

// Sort sorts the lists by ref.
func (c *Checkpoint) Sort() {
	order.Sort(c.Journals, func(a, b Journal) int { return strings.Compare(a.Ref, b.Ref) })
	order.Sort(c.Folds, func(a, b Fold) int { return strings.Compare(a.Ref, b.Ref) })
}
