package begin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/checkpoint"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// anchorJSON is the anchor that a clone was compared with.
type anchorJSON struct {
	checkpoint.Anchor
	// File, At, Key and Signer are of a checkpoint; an anchor by itself has none.
	File   string             `json:"file,omitempty"`
	At     *time.Time         `json:"at,omitempty"`
	Key    review.Fingerprint `json:"key,omitempty"`
	Signer string             `json:"signer,omitempty"`

	anchored workspace.Anchored
}

// readAnchor reads the value of --checkpoint: an anchor, or the file of a checkpoint.
func readAnchor(ctx context.Context, c *console.Console, value string) (*anchorJSON, error) {
	if a, err := checkpoint.ParseAnchor(value); err == nil {
		return &anchorJSON{Anchor: a, anchored: workspace.Anchored{Anchor: a}}, nil
	}
	text, err := console.ReadFile(ctx, c, value, console.MaxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, console.Usage("%s is neither the file of a checkpoint nor an anchor: %w", console.OneLine(value), checkpoint.ErrAnchor)
	}
	if err != nil {
		return nil, console.Unread("the checkpoint", err)
	}
	const again = "ask its signer for another copy: assent audit checkpoint makes one"
	point, key, err := checkpoint.Open(text)
	if err != nil {
		return nil, console.Refused(again, "the checkpoint %s proves nothing: %w", console.OneLine(value), err)
	}
	//defence:anchors-have-happened
	if point.At.After(c.World.Now().Add(policy.ClockSkew)) {
		return nil, console.Refused("one of the two clocks is wrong: correct yours, or "+again,
			"the checkpoint %s is dated %s, which is in the future", console.OneLine(value), point.At.Format(time.RFC3339))
	}
	return &anchorJSON{Anchor: point.Anchor(), File: value, At: &point.At, Key: key,
		anchored: workspace.Anchored{Anchor: point.Anchor(), Main: point.Main, Key: key}}, nil
}

// cloneAnchored clones into a folder that gets its name only when the anchor holds, so
// that nothing can mistake an unchecked clone for a workspace.
func cloneAnchored(ctx context.Context, c *console.Console, left *leftOut, from, target string, a *anchorJSON) (*workspace.Workspace, error) {
	if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
		return nil, err
	}
	unchecked, err := os.MkdirTemp(filepath.Dir(target), "."+filepath.Base(target)+".unchecked-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(unchecked)
	dir := filepath.Join(unchecked, filepath.Base(target)) // made by git, with the usual rights
	if err := gitClone(ctx, c, left, from, dir); err != nil {
		return nil, err
	}
	w, err := fetchRecord(ctx, c, left, dir)
	if err != nil {
		return nil, err
	}
	//defence:clones-are-held-against-anchors
	if a.Signer, err = w.CheckAnchor(ctx, a.anchored); err != nil {
		return nil, anchorRefused(from, err)
	}
	return adoptClone(ctx, c, dir, target, a)
}

// adoptClone gives a clone that was checked its name, and remembers the anchor as seen.
func adoptClone(ctx context.Context, c *console.Console, dir, target string, a *anchorJSON) (*workspace.Workspace, error) {
	if err := os.Remove(target); err != nil && !errors.Is(err, fs.ErrNotExist) { // it is an empty folder
		return nil, err
	}
	if err := os.Rename(dir, target); err != nil {
		return nil, err
	}
	repo, err := gitstore.Open(target)
	if err != nil {
		return nil, err
	}
	w := workspaceOf(c, repo)
	return w, w.Memory().Saw(ctx, a.Workspace, a.Commit)
}

// anchorRefused says that nothing of a clone is kept.
func anchorRefused(from string, err error) error {
	switch {
	case errors.Is(err, attest.ErrNoGenesis), errors.Is(err, attest.ErrNoMain):
		err = fmt.Errorf("%w: %w", workspace.ErrAnchor, err)
	case !errors.Is(err, workspace.ErrAnchor):
		return err
	}
	return console.Refused("nothing was kept; ask the person who gave you the anchor whether the address and the anchor are right, and compare with their clone",
		"%s: %w", redacted(from), err)
}

// printAnchor shows the anchor, and what it proves.
func printAnchor(c *console.Console, a *anchorJSON) {
	if a == nil {
		return
	}
	if a.File == "" {
		c.Field("anchor", fmt.Sprintf("%s was in force, by the anchor; trust it as much as the way it reached you", a.Commit.Short()))
		return
	}
	c.Field("anchor", console.OneLine(fmt.Sprintf("%s was in force on %s, signed by %s", a.Commit.Short(), a.At.Format(time.DateTime), a.Signer)))
	c.Field("", fmt.Sprintf("with %s; compare it with the fingerprint that %s gives you", a.Key, console.OneLine(a.Signer)))
	c.Field("", "assent audit verify --checkpoint FILE holds the journals against it as well")
}
