package task

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/tools/script"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// keepArtifacts stores the files that a script made, as a commit that a ref of the run keeps. Equal files give equal commits. Without files it returns nil.
func keepArtifacts(w *workspace.Workspace, made []tree.Edit) (*run.Artifacts, error) {
	if len(made) == 0 {
		return nil, nil
	}
	top, err := w.Repo.WriteTree(tree.Hash{}, made)
	if err != nil {
		return nil, err
	}
	by := gitstore.Person{Name: engine, Email: engine + "@agents.invalid", When: time.Unix(0, 0).UTC()}
	commit, err := w.Repo.WriteCommit(gitstore.Commit{Tree: top, Author: by, Committer: by, Message: "assent: artifacts of a job\n"}, nil)
	if err != nil {
		return nil, err
	}
	out := &run.Artifacts{Commit: commit.String()}
	for _, e := range made {
		sum := sha256.Sum256(e.Content)
		out.Files = append(out.Files, run.Artifact{Path: e.Path, Size: len(e.Content), Digest: "sha256:" + hex.EncodeToString(sum[:])})
	}
	return out, nil
}

// ErrArtifact means that a recorded artifact is not what the record says, or has a harmful name. Anyone
// who can push can write the record.
var ErrArtifact = errors.New("not an artifact of this run")

// ErrGone means that artifacts are kept no longer.
var ErrGone = errors.New("its artifacts were removed, as retention.yaml says")

// ReadArtifacts returns the files of a record, each checked against it.
func ReadArtifacts(w *workspace.Workspace, a run.Artifacts) ([]tree.Edit, error) {
	commit, err := tree.ParseHash(a.Commit)
	if err != nil || len(a.Files) > run.MaxArtifacts {
		return nil, fmt.Errorf("its record is malformed: %w", ErrArtifact)
	}
	view, err := w.Repo.Snapshot(commit)
	if gitstore.IsContent(err) {
		err = fmt.Errorf("%w: %w", ErrArtifact, err)
	}
	if err != nil {
		return nil, fmt.Errorf("read the artifacts: %w", err)
	}
	var out []tree.Edit
	var paths []string
	left := run.MaxArtifactBytes
	for _, f := range a.Files {
		e, err := view.Lookup(f.Path)
		if err != nil || !e.Mode.IsFile() {
			return nil, fmt.Errorf("%q is no file: %w", f.Path, ErrArtifact)
		}
		data, err := view.Read(f.Path)
		if err != nil {
			return nil, fmt.Errorf("read the artifact %q: %w", f.Path, err)
		}
		sum := sha256.Sum256(data)
		//defence:artifacts-are-as-recorded
		if left -= len(data); left < 0 || "sha256:"+hex.EncodeToString(sum[:]) != f.Digest {
			return nil, fmt.Errorf("%q is not as recorded: %w", f.Path, ErrArtifact)
		}
		out, paths = append(out, tree.Edit{Path: f.Path, Mode: e.Mode, Content: data}), append(paths, f.Path)
	}
	if why := script.CheckArtifacts(paths); why != "" {
		return nil, fmt.Errorf("%s: %w", why, ErrArtifact)
	}
	return out, nil
}

// given returns the artifacts of the jobs that a script needs.
func (a *Advanced) given(cur workspace.Session, f workflow.Workflow, j workflow.Job) ([]script.Given, error) {
	var out []script.Given
	for _, need := range j.Needs {
		of, _ := f.Job(need)
		if of.Script == nil || len(of.Script.Artifacts) == 0 {
			continue
		}
		g := script.Given{Job: need, View: tree.NewMap()}
		if made := a.Jobs[need].Artifacts; made != nil {
			files, err := ReadArtifacts(cur.Workspace, *made)
			if err != nil {
				return nil, fmt.Errorf("%s/%s: %w", a.ID, need, err)
			}
			g.View = tree.NewMap(files...)
		}
		out = append(out, g)
	}
	return out, nil
}
