package exporter

import (
	"context"
	"errors"
	"strings"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/registry/archive"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// Registry is the export of a registry, and what it leaves out.
type Registry struct {
	archive.Archive
	// Capabilities counts those in it; Stopped are those that a human stopped, with the reason.
	Capabilities int
	Stopped      []string
	// Problems are journals of trials that cannot be read.
	Problems []error
}

// RegistryOf collects all capabilities in force that nobody stopped, and the newest trials.
func RegistryOf(ctx context.Context, cur workspace.Session) (Registry, error) {
	out := Registry{Archive: archive.Archive{Header: archive.Header{Workspace: cur.ID(), Commit: cur.InForce.String()}}, Stopped: []string{}}
	view, err := cur.Handout(ctx, cur.View)
	if err != nil {
		return out, err
	}
	folders, err := cur.Capabilities.Folders()
	if err != nil {
		return out, err
	}
	for _, f := range folders {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		files, err := filesAt(view, f.Path)
		var halted *workspace.Halted
		if errors.As(err, &halted) {
			out.Stopped = append(out.Stopped, halted.Error())
			continue
		}
		if err != nil {
			return out, err
		}
		out.Capabilities++
		for _, file := range files {
			out.Files = append(out.Files, tree.Edit{Path: f.Path + "/" + file.Path, Mode: file.Mode, Content: file.Content})
		}
	}
	order.Sort(out.Files, func(a, b tree.Edit) int { return strings.Compare(a.Path, b.Path) })
	out.Trials, out.Problems, err = triallog.Newest(workspace.TrialsOf(cur), 0, archive.MaxTrials)
	return out, err
}
