package local

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/journal"
	"github.com/assent-dev/assent/engine/tree"
)

// The kinds of events in a pull request's journal.
const (
	evOpened   = "opened"
	evPushed   = "pushed"
	evComment  = "comment"
	evReview   = "review"
	evReport   = "report"
	evMerging  = "merging"
	evMerged   = "merged"
	evClosed   = "closed"
	evReopened = "reopened"
)

// folded is a journal read from its beginning.
type folded struct {
	pull     forge.Pull
	activity forge.Activity
}

// fold replays a pull request's events. A journal whose events do not decode is
// damaged, which is an error of the world.
func fold(id string, events []journal.Event) (folded, error) {
	f := folded{pull: forge.Pull{ID: id}}
	for _, ev := range events {
		if err := f.apply(ev); err != nil {
			return f, fmt.Errorf("pull request %s, event %s (%s): %w", id, ev.Commit.Short(), ev.Kind, err)
		}
		f.pull.Updated = ev.At
	}
	return f, nil
}

func (f *folded) apply(ev journal.Event) error {
	switch ev.Kind {
	case evOpened:
		return f.opened(ev)
	case evPushed:
		return f.pushed(ev)
	case evComment:
		f.activity.Comments = append(f.activity.Comments, forge.Comment{
			By: actor(ev), Key: ev.Fields["Key"], Body: ev.Note, At: ev.At})
	case evReview:
		return f.reviewed(ev)
	case evReport:
		return f.reported(ev)
	case evMerging:
		commit, err := tree.ParseHash(ev.Fields["Commit"])
		f.activity.Merges = append(f.activity.Merges, forge.Announcement{
			Commit: commit, Attestation: ev.Files["attestation.json"], At: ev.At})
		return err
	case evMerged:
		commit, err := tree.ParseHash(ev.Fields["Commit"])
		f.pull.State, f.pull.Merge = forge.Merged, commit
		return err
	case evClosed:
		f.pull.State, f.pull.Why = forge.Closed, ev.Fields["Why"]
	case evReopened:
		f.pull.State, f.pull.Why = forge.Open, ""
	}
	return nil // events of later versions are carried, not understood
}

func (f *folded) opened(ev journal.Event) error {
	head, err := tree.ParseHash(ev.Fields["Head"])
	f.pull.Title, f.pull.Body = ev.Fields["Title"], ev.Note
	f.pull.Branch, f.pull.Base, f.pull.Head = ev.Fields["Branch"], ev.Fields["Base"], head
	f.pull.Author, f.pull.State, f.pull.Opened = actor(ev), forge.Open, ev.At
	f.activity.Pushes = append(f.activity.Pushes, forge.Push{By: actor(ev), New: head, At: ev.At})
	return err
}

func (f *folded) pushed(ev journal.Event) error {
	head, err := tree.ParseHash(ev.Fields["Head"])
	engine, _ := strconv.ParseBool(ev.Fields["Engine"])
	f.activity.Pushes = append(f.activity.Pushes, forge.Push{
		By: actor(ev), Old: f.pull.Head, New: head, Engine: engine, Note: ev.Note, At: ev.At})
	f.pull.Head = head
	return err
}

func (f *folded) reviewed(ev journal.Event) error {
	head, err := tree.ParseHash(ev.Fields["Head"])
	f.activity.Reviews = append(f.activity.Reviews, forge.Review{
		By: actor(ev), Decision: ev.Fields["Decision"], Reason: ev.Note, Head: head,
		Effective: ev.Fields["Effective"], At: ev.At,
		Record: ev.Files["review.json"], Signature: ev.Files["review.sig"],
	})
	return err
}

func (f *folded) reported(ev journal.Event) error {
	head, err := tree.ParseHash(ev.Fields["Head"])
	if err != nil {
		return err
	}
	base, err := tree.ParseHash(ev.Fields["Base-Commit"])
	f.activity.Statuses = append(f.activity.Statuses, forge.Status{
		Head: head, Base: base, Passed: ev.Fields["Passed"] == "true", Summary: ev.Note,
		Digest: ev.Fields["Digest"], Report: ev.Files["report.json"], At: ev.At,
	})
	return err
}

// actor reads who did it; the full description is in the event's payload, the
// By line of the message is for people.
func actor(ev journal.Event) forge.Actor {
	var a forge.Actor
	if data, ok := ev.Files["actor.json"]; ok && json.Unmarshal(data, &a) == nil {
		return a
	}
	return forge.Actor{Name: ev.By}
}

func withActor(ev journal.Event, a forge.Actor) (*journal.Event, error) {
	data, err := json.Marshal(a)
	if err != nil {
		return nil, fmt.Errorf("encode actor: %w", err)
	}
	if ev.Files == nil {
		ev.Files = map[string][]byte{}
	}
	ev.By, ev.Files["actor.json"] = a.String(), data
	return &ev, nil
}
