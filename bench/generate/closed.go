package generate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/proposals/propose"
)

// closedAtOnce is how many refs one transaction makes.
const closedAtOnce = 1000

// Close adds n proposals that were withdrawn, each with a journal of that many
// events (four or more: opened, pushed, report, closed), its ref not folded. One goes through the use cases; the
// others are copies of its commits, each with an id and a head of its own, because
// what is to be measured is reading them and not how they came about.
func (w World) Close(ctx context.Context, o Options, n, events int) error {
	if n == 0 {
		return nil
	}
	first, err := w.withdrawn(ctx, o, events)
	if err != nil {
		return err
	}
	var moves []gitstore.RefUpdate
	for i := 1; i < n; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		id := fmt.Sprintf("%s-%08d", first.id[:len(first.id)-len("-00000000")], i)
		head, err := first.copy(w.Repo, id)
		if err != nil {
			return err
		}
		moves = append(moves, gitstore.RefUpdate{Name: local.PullPrefix + id, New: head})
		if len(moves) == closedAtOnce || i == n-1 {
			if err := w.Repo.Update(moves...); err != nil {
				return fmt.Errorf("writing closed proposals: %w", err)
			}
			moves = nil
		}
	}
	return nil
}

// closed is a proposal that ended: its journal, oldest event first, and its head.
type closed struct {
	id      string
	journal []gitstore.Commit
	head    gitstore.Commit
}

func (w World) withdrawn(ctx context.Context, o Options, events int) (closed, error) {
	l := w.live()
	c := closed{}
	pull, err := l.propose(ctx, o, o.N)
	if err != nil {
		return c, err
	}
	c.id = pull.ID
	ref := local.PullPrefix + pull.ID
	begun, err := journal.Read(w.Repo, ref)
	if err != nil {
		return c, err
	}
	for i := range events - len(begun) - 1 {
		remark := forge.Comment{By: l.agent, Body: newAuthor(o.Seed, i).paragraph(2), At: l.Now()}
		if err := l.Forge.Comment(ctx, pull.ID, remark); err != nil {
			return c, err
		}
	}
	cur, err := l.Session(ctx)
	if err != nil {
		return c, err
	}
	if _, err := propose.Withdraw(ctx, cur, pull, l.agent, "it was not needed"); err != nil {
		return c, err
	}
	if c.head, err = w.Repo.Commit(pull.Head); err != nil {
		return c, err
	}
	all, err := journal.Read(w.Repo, ref)
	for _, e := range all {
		event, err := w.Repo.Commit(e.Commit)
		if err != nil {
			return c, err
		}
		c.journal = append(c.journal, event)
	}
	return c, err
}

// copy writes the same journal for another id, and returns its last event.
func (c closed) copy(r *gitstore.Repo, id string) (tree.Hash, error) {
	head := c.head
	head.Message = strings.ReplaceAll(head.Message, c.id, id) + "\nCopy: " + id + "\n"
	was := head.Hash
	now, err := r.WriteCommit(head, nil)
	if err != nil {
		return now, err
	}
	words := strings.NewReplacer(c.id, id, was.String(), now.String())
	var last tree.Hash
	for i, event := range c.journal {
		event.Message = words.Replace(event.Message)
		event.Parents = slices.Clone(event.Parents)
		for p, parent := range event.Parents {
			if parent == was {
				event.Parents[p] = now
			}
		}
		if i > 0 {
			event.Parents[0] = last
		}
		if last, err = r.WriteCommit(event, nil); err != nil {
			return last, err
		}
	}
	return last, nil
}
