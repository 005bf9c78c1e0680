package triallog

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// Adopted is what Adopt recorded.
type Adopted struct {
	// Writer is the one to which they were recorded, "" for none.
	Writer   trial.Writer `json:"writer"`
	Recorded int          `json:"recorded"`
	// Already is set if the same trials were adopted before.
	Already bool `json:"already,omitempty"`
}

// Adopt records trials of another workspace as those of a writer of their own, which policies do not
// name: they rank within the bounds of unknown writers, and support no decision. The writer's key is
// derived from this installation's and the trials, and is not kept, so that the same trials are
// recorded once and nobody else can add to them. Trials must be in their order.
func Adopt(ctx context.Context, l Log, theirs []Kept) (out Adopted, err error) {
	if len(theirs) == 0 {
		return out, nil
	}
	err = l.locked(ctx, func() error {
		signer, err := foster(l, theirs)
		if err != nil {
			return err
		}
		//defence:foreign-trials-are-strangers
		out.Writer = trial.WriterOf(signer.PublicKey().Marshal())
		if _, err := l.repo.Ref(Ref(out.Writer)); !errors.Is(err, gitstore.ErrNoRef) {
			out.Already = err == nil
			return err
		}
		trials := renamed(out.Writer, l.now(), theirs)
		var tip tree.Hash
		var last batch
		for _, part := range batches(trials) {
			if err := ctx.Err(); err != nil {
				return err
			}
			c, err := records(part)
			if err != nil {
				return err
			}
			if tip, last, err = stack(l, signer, out.Writer, tip, last, c); err != nil {
				return err
			}
		}
		out.Recorded = len(trials)
		return l.repo.Update(gitstore.RefUpdate{Name: Ref(out.Writer), New: tip, Reflog: "assent: trials of another workspace"})
	})
	return out, err
}

// foster derives the key of a writer for trials of others.
func foster(l Log, theirs []Kept) (ssh.Signer, error) {
	own, _, err := l.ownKey()
	if err != nil {
		return nil, err
	}
	digest := sha256.New()
	for _, k := range theirs {
		line, err := k.Encode()
		if err != nil {
			return nil, err
		}
		digest.Write(line)
	}
	sig, err := own.Sign(rand.Reader, append([]byte("trials of another workspace\x00"), digest.Sum(nil)...))
	if err != nil {
		return nil, fmt.Errorf("derive a key: %w", err)
	}
	seed := sha256.Sum256(sig.Blob)
	signer, err := ssh.NewSignerFromKey(ed25519.NewKeyFromSeed(seed[:]))
	if err != nil {
		return nil, fmt.Errorf("derive a key: %w", err)
	}
	return signer, nil
}

// renamed gives trials ids of a writer at the times of their own, none of them ahead of now.
func renamed(w trial.Writer, now time.Time, theirs []Kept) []trial.Trial {
	var last trial.ID
	out := make([]trial.Trial, len(theirs))
	for i, k := range theirs {
		at := k.ID.Time()
		if at.After(now) {
			at = now
		}
		last = trial.Next(last, at, w)
		out[i] = k.Trial
		out[i].ID = last
	}
	return out
}
