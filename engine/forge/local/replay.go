package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
)

// The kinds of events in a pull request's journal.
const (
	evOpened   = "opened"
	evPushed   = "pushed"
	evComment  = "comment"
	evReview   = "review"
	evReport   = "report"
	evAdvice   = "advice"
	evTests    = "tests"
	evResult   = "result"
	evMerging  = "merging"
	evMerged   = "merged"
	evClosed   = "closed"
	evReopened = "reopened"
)

// replayed is a journal read from its beginning.
type replayed struct {
	pull     forge.Pull
	activity forge.Activity
	merged   isMerged
}

// isMerged reports whether a commit merged a proposal.
type isMerged func(id string, commit tree.Hash) (bool, error)

// replay folds a pull request's events. An error means that the journal is
// damaged: it does not begin with an opening, or an event does not decode.
func replay(id string, events []journal.Event, merged isMerged) (replayed, error) {
	f := replayed{pull: forge.Pull{ID: id}, merged: merged}
	for i, ev := range events {
		err := f.apply(ev)
		if (ev.Kind == evOpened) != (i == 0) {
			err = errors.New("a pull request is opened by its first event, once")
		}
		if err != nil {
			return f, fmt.Errorf("event %d (%s, %s): %w", ev.Sequence, ev.Kind, ev.Commit.Short(), err)
		}
		f.pull.Updated = ev.At
	}
	return f, nil
}

func (f *replayed) apply(ev journal.Event) error {
	switch ev.Kind {
	case evOpened:
		return f.opened(ev)
	case evPushed:
		return f.pushed(ev)
	case evComment:
		f.commented(ev)
	case evReview:
		return f.reviewed(ev)
	case evReport:
		return f.reported(ev)
	case evAdvice:
		f.activity.Advice = append(f.activity.Advice, forge.Advice{By: actor(ev), Record: ev.Files[adviceFile], At: ev.At})
	case evTests:
		f.activity.Proofs = append(f.activity.Proofs, forge.Proof{By: actor(ev), Record: ev.Files[testsFile], At: ev.At})
	case evResult:
		f.activity.Results = append(f.activity.Results, forge.Proof{By: actor(ev), Record: ev.Files[resultFile], Signature: ev.Files[resultSignatureFile], At: ev.At})
	case evMerging:
		commit, err := tree.ParseHash(ev.Fields["Commit"])
		f.activity.Merges = append(f.activity.Merges, forge.Announcement{
			Commit: commit, Attestation: ev.Files[attestationFile], Signature: ev.Files[attestationSignatureFile], At: ev.At})
		return err
	case evMerged:
		return f.ended(ev)
	case evClosed, evReopened:
		if f.pull.State == forge.Merged {
			return errors.New("it comes after the merge, which is final")
		}
		f.pull.State, f.pull.Why = forge.Closed, ev.Fields["Why"]
		if ev.Kind == evReopened {
			f.pull.State, f.pull.Reopened = forge.Open, ev.At
		}
	}
	return nil // ignore events of later versions
}

// ended ends the pull request if main has the merge. Else the event is a claim without effect.
func (f *replayed) ended(ev journal.Event) error {
	commit, err := tree.ParseHash(ev.Fields["Commit"])
	if err != nil {
		return err
	}
	if f.pull.State == forge.Merged && f.pull.Merge != commit {
		return errors.New("it names another merge than the one before, which is final")
	}
	is, err := f.merged(f.pull.ID, commit)
	if err != nil && !gitstore.IsContent(err) { // readers stop at a main that cannot be read
		return err
	}
	//defence:claimed-merges-end-nothing
	if err == nil && !is {
		f.pull.Claimed = commit
		return nil
	}
	f.pull.State, f.pull.Merge, f.pull.Claimed, f.pull.Why = forge.Merged, commit, tree.Hash{}, ""
	return nil
}

func (f *replayed) opened(ev journal.Event) error {
	head, err := tree.ParseHash(ev.Fields["Head"])
	f.pull.Title, f.pull.Body = ev.Fields["Title"], ev.Note
	f.pull.Branch, f.pull.Base, f.pull.Head = ev.Fields["Branch"], ev.Fields["Base"], head
	f.pull.Author, f.pull.State, f.pull.Opened = actor(ev), forge.Open, ev.At
	f.activity.Pushes = append(f.activity.Pushes, forge.Push{By: actor(ev), Behind: behind(ev), New: head, At: ev.At, Provenance: ev.Files[provenanceFile]})
	//defence:a-branch-of-its-own
	if f.pull.Branch != forge.BranchPrefix+f.pull.ID || f.pull.Base != forge.Main {
		return fmt.Errorf("branch %.80q into %.80q is not what a proposal has", f.pull.Branch, f.pull.Base)
	}
	return err
}

func (f *replayed) pushed(ev journal.Event) error {
	head, err := tree.ParseHash(ev.Fields["Head"])
	engine, _ := strconv.ParseBool(ev.Fields["Engine"])
	f.activity.Pushes = append(f.activity.Pushes, forge.Push{
		By: actor(ev), Old: f.pull.Head, New: head, Engine: engine, Note: ev.Note, At: ev.At, Provenance: ev.Files[provenanceFile]})
	f.pull.Head = head
	return err
}

// commented adds a comment in the place of the one with the same key.
func (f *replayed) commented(ev journal.Event) {
	c := forge.Comment{By: actor(ev), Key: ev.Fields["Key"], Body: ev.Note, At: ev.At}
	if c.Key != "" {
		f.activity.Comments = slices.DeleteFunc(f.activity.Comments, func(old forge.Comment) bool { return old.Key == c.Key })
	}
	f.activity.Comments = append(f.activity.Comments, c)
}

func (f *replayed) reviewed(ev journal.Event) error {
	head, err := tree.ParseHash(ev.Fields["Head"])
	f.activity.Reviews = append(f.activity.Reviews, forge.Review{
		By: actor(ev), Decision: ev.Fields["Decision"], Reason: ev.Note, Head: head,
		Effective: ev.Fields["Effective"], At: ev.At,
		Record: ev.Files[recordFile], Signature: ev.Files[signatureFile],
	})
	return err
}

func (f *replayed) reported(ev journal.Event) error {
	head, err := tree.ParseHash(ev.Fields["Head"])
	if err != nil {
		return err
	}
	base, err := tree.ParseHash(ev.Fields["Base-Commit"])
	passed, _ := strconv.ParseBool(ev.Fields["Passed"])
	f.activity.Statuses = append(f.activity.Statuses, forge.Status{
		Head: head, Base: base, Passed: passed, Summary: ev.Note,
		Digest: ev.Fields["Digest"], Report: ev.Files[reportFile], At: ev.At,
	})
	return err
}

// The files and fields of events.
const (
	actorFile       = "actor.json"
	attestationFile = "attestation.json"
	recordFile      = "review.json"
	signatureFile   = "review.sig"
	reportFile      = "report.json"
	adviceFile      = "advice.json"
	testsFile       = "tests.json"
	provenanceFile  = "provenance.json"
	behindFile      = "behind.json"
	resultFile      = "result.json"
	// resultSignatureFile is the signature of the result beside it.
	resultSignatureFile = "result.sig"
	// attestationSignatureFile exists if the attestation is signed.
	attestationSignatureFile = "attestation.sig"
	// stateField names the state of the pull request after an event. Every event has it.
	stateField = "State"
)

// actor returns the actor of an event. The payload has the full description; the By line
// of the message is for people.
func actor(ev journal.Event) forge.Actor {
	var a forge.Actor
	if data := ev.Files[actorFile]; len(data) <= maxActor && json.Unmarshal(data, &a) == nil {
		return a
	}
	return forge.Actor{Name: ev.By}
}

// maxActor bounds the description of an actor, in bytes; forge.MaxName bounds its names.
const maxActor = 64 << 10

// reviewsOnly chooses the files that say who acted and how reviewers decided. Anyone who can push can
// write journals of 64 MiB, so readers of all journals read no other files, and none that is too
// large to be valid.
func reviewsOnly(path string, size int64) bool {
	switch path {
	case actorFile:
		return size <= maxActor
	case recordFile:
		return size <= review.MaxRecord
	case signatureFile:
		return size <= forge.MaxSignature
	}
	return false
}

// withActor adds the actor and the resulting state to an event.
func withActor(ev journal.Event, a forge.Actor, after forge.State) (*journal.Event, error) {
	data, err := json.Marshal(a)
	if err != nil {
		return nil, fmt.Errorf("encode actor: %w", err)
	}
	if ev.Files == nil {
		ev.Files = map[string][]byte{}
	}
	if ev.Fields == nil {
		ev.Fields = map[string]string{}
	}
	ev.By, ev.Files[actorFile], ev.Fields[stateField] = byLine(a), data, string(after)
	return &ev, nil
}
