package triallog

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// Prefix is where journals are; the rest of a ref's name is the writer's.
const Prefix = "refs/assent/trials/"

// Bounds of batches.
const (
	// MaxBatch is how many trials a commit holds at most.
	MaxBatch = 1000
	// MaxWait is how long an acknowledged trial waits for a commit while others are recorded.
	MaxWait = 2 * time.Second
)

// Files in the folder of an installation.
const (
	lockFile    = "lock"
	keyFile     = "key"
	pendingFile = "pending.jsonl"
	damagedFile = "damaged.jsonl"
)

// ErrJournal is returned for an invalid journal: another key signed it, it is of another
// workspace, it was cut or forked, or its counts are not its sums.
var ErrJournal = errors.New("not a sound journal of trials")

// Log holds the trials of one repository.
type Log struct {
	repo      *gitstore.Repo
	workspace string
	files     home.Store
	now       func() time.Time
	listed    []trial.Writer
	database  Database
}

// New returns the trials of a repository in the workspace with this id, whose policies list some
// writers. It writes nothing.
func New(repo *gitstore.Repo, workspace string, now func() time.Time, listed ...trial.Writer) Log {
	return Log{repo: repo, workspace: workspace, files: home.At(filepath.Join(repo.CommonDir(), "assent", "trials")), now: now, listed: listed}
}

// Ref is the ref of a writer's journal.
func Ref(w trial.Writer) string { return Prefix + string(w) }

// Own is the writer of this installation, "" while it has recorded nothing.
func (l Log) Own() (trial.Writer, error) {
	signer, err := l.key()
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return trial.WriterOf(signer.PublicKey().Marshal()), nil
}

func (l Log) key() (ssh.Signer, error) {
	data, err := l.files.Read(keyFile, 1<<16)
	if err != nil {
		return nil, fmt.Errorf("read the key of this installation: %w", err)
	}
	signer, err := ssh.ParsePrivateKey(data)
	if err != nil {
		return nil, fmt.Errorf("read %s: it is damaged; remove it, and this installation begins another journal: %w", l.files.Path(keyFile), err)
	}
	return signer, nil
}

// ownKey is the key of this installation, made when it is first asked for. It is called
// under the lock.
func (l Log) ownKey() (ssh.Signer, trial.Writer, error) {
	signer, err := l.key()
	if errors.Is(err, fs.ErrNotExist) {
		signer, err = l.newKey()
	}
	if err != nil {
		return nil, "", err
	}
	return signer, trial.WriterOf(signer.PublicKey().Marshal()), nil
}

func (l Log) newKey() (ssh.Signer, error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a key for this installation: %w", err)
	}
	block, err := ssh.MarshalPrivateKey(private, "assent trials")
	if err != nil {
		return nil, fmt.Errorf("make a key for this installation: %w", err)
	}
	if err := l.files.Write(keyFile, pem.EncodeToMemory(block)); err != nil {
		return nil, fmt.Errorf("write the key of this installation: %w", err)
	}
	return l.key()
}

// locked calls do while no other process of this installation records or commits.
func (l Log) locked(ctx context.Context, do func() error) error {
	if err := l.files.Locked(ctx, lockFile, do); err != nil {
		return fmt.Errorf("trials: %w", err)
	}
	return nil
}

// head returns the last commit of a journal, zero if there is none.
func (l Log) head(w trial.Writer) (tree.Hash, error) {
	h, err := l.repo.Ref(Ref(w))
	if errors.Is(err, gitstore.ErrNoRef) {
		return tree.Hash{}, nil
	}
	return h, err
}

// writerOf returns the writer named by a ref.
func writerOf(ref string) (trial.Writer, error) {
	w := trial.Writer(strings.TrimPrefix(ref, Prefix))
	if !w.Valid() {
		return "", fmt.Errorf("%s: its name is no writer's: %w", ref, ErrJournal)
	}
	return w, nil
}
