package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// Recorded returns the case of one pull request from its journal, without examining it again: it
// uses the recorded report and validates nothing, so that thousands can be read. Use it to
// simulate, never to decide. The instant is the merge, the last event of a closed pull request, or
// now. A closed one is returned as if open, with its reviews. The error is a *forge.Damaged if the
// evidence is gone.
func (s Session) Recorded(ctx context.Context, pull forge.Pull) (gate.Case, error) {
	gone := func(err error) error {
		return &forge.Damaged{ID: pull.ID, Where: "refs/assent/pulls/" + pull.ID, Err: err}
	}
	activity, err := s.Record.Activity(ctx, pull.ID)
	if err != nil {
		return gate.Case{}, err
	}
	c := gate.Case{Workspace: s.ID(), Forge: activity.Service, Policies: s.Policies, Pull: pull, Activity: activity, Now: s.Now(), Recalled: true}
	into := s.Main
	report, known := lastReport(pull.Head, activity)
	switch pull.State {
	case forge.Merged:
		commit, err := s.Repo.Commit(pull.Merge)
		if err != nil {
			return c, gone(err)
		}
		said, err := s.claims().first(ctx, pull.ID, commit)
		if err != nil {
			return c, gone(err)
		}
		att := said.att
		_, until, err := said.read()
		if err != nil {
			return c, gone(err)
		}
		if report, err = recordedReport(att, until); err != nil {
			return c, gone(err)
		}
		known, into, c.Activity = true, att.Base, until
		c.Pull.Head, c.Effective, c.Now, c.Early = att.Head, att.Effective, att.Instant(), att.Provenance == ""
		c.Proven, c.Subjects = att.Tests, attestedSubjects(att.Tests)
	case forge.Closed:
		c.Now = pull.Updated
	}
	if !known {
		return c, gone(errors.New("no report on its last version is recorded"))
	}
	c.Pull.State, c.Report = forge.Open, &report
	if c.Proposal, err = s.History().ownFile(c.Pull.Head, report); err != nil {
		return c, gone(err)
	}
	base, err := s.Repo.MergeBase(into, c.Pull.Head)
	if err == nil {
		// The engine's own commits name no one in roles.yaml, so they need not be separated.
		c.Authors, err = s.History().authors(base, c.Pull.Head, nil)
	}
	if err != nil {
		return c, gone(err)
	}
	return c, nil
}

// lastReport is the newest report that was recorded on a head.
func lastReport(head tree.Hash, activity forge.Activity) (validate.Report, bool) {
	for i := len(activity.Statuses) - 1; i >= 0; i-- {
		s := activity.Statuses[i]
		if s.Head == head && canonical.Digest(s.Report) == s.Digest {
			r, err := validate.ParseReport(s.Report)
			return r, err == nil
		}
	}
	return validate.Report{}, false
}

// ownFile reads the proposal's own file in a commit of its branch.
func (h History) ownFile(head tree.Hash, r validate.Report) (proposal.Proposal, error) {
	view, err := h.Repo.Snapshot(head)
	if err != nil {
		return proposal.Proposal{}, err
	}
	for _, f := range r.Files {
		if names.Area(f.Path) != names.ProposalsArea || !strings.HasSuffix(f.Path, "/"+r.Proposal+".md") {
			continue
		}
		src, err := view.Read(f.Path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, gitstore.ErrNoObject) {
			break
		}
		if err != nil {
			return proposal.Proposal{}, fmt.Errorf("read %s: %w", f.Path, err)
		}
		p, _ := proposal.Parse(f.Path, src)
		return p, nil
	}
	return proposal.Proposal{}, errors.New("its own file is not in its last version")
}
