package remote

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// Move is one ref of a remote repository: what it must hold, and what it shall
// hold. A zero Old means that it must not exist, a zero New deletes it.
type Move struct {
	Ref      string
	Old, New tree.Hash
}

// PushOptions say how a push goes about it. The zero value is fine.
type PushOptions struct {
	// Say gets progress while a push takes long; nil is silent.
	Say func(line string)
}

// Receipt is what a remote answered to a push that it took.
type Receipt struct {
	// Moved are the refs that the remote moved.
	Moved []Move
	// Words are what the remote, its hooks included, said for people. They come from
	// elsewhere: clean them before a terminal shows them.
	Words string
}

// ErrDeclined says that a remote refused a push. Nothing of it took effect where
// the remote is atomic, which Git's own is.
type ErrDeclined struct {
	Remote string
	// Refs are the refused ones with the remote's reasons.
	Refs []DeclinedRef
	// Words are what the remote, its hooks included, said for people.
	Words string
}

// DeclinedRef is one refused ref and the remote's reason, on one line, unclean.
type DeclinedRef struct{ Ref, Reason string }

// Error implements error.
func (e *ErrDeclined) Error() string {
	reasons := make([]string, len(e.Refs))
	for i, d := range e.Refs {
		reasons[i] = fmt.Sprintf("%s (%s)", d.Ref, d.Reason)
	}
	return fmt.Sprintf("%s refused %s", e.Remote, strings.Join(reasons, ", "))
}

// Busy reports that the remote could not move a ref although nothing forbade it:
// most likely another push held the lock of it at that moment.
func (e *ErrDeclined) Busy() bool {
	return slices.ContainsFunc(e.Refs, func(d DeclinedRef) bool {
		for _, words := range []string{"failed to update ref", "failed to lock", "cannot lock ref", "unable to lock", "transaction failed", "remote ref updated"} {
			if strings.Contains(d.Reason, words) {
				return true
			}
		}
		return false
	})
}

// Push connects to a remote that is configured here, shows next what is there,
// and has the remote make the moves that next returns, all or none of them where
// it can do that. No moves end it without a push; an error of next is returned.
//
// Each move holds only if the ref is where Move.Old says, also if the remote would
// allow more. A ref that is elsewhere is a *gitstore.ErrStale that tells where; any other
// refusal is an *ErrDeclined. When the connection breaks after everything was
// sent, the remote is asked once more, so that an error means that the moves were
// not made, or that this is unknown.
func Push(ctx context.Context, r *gitstore.Repo, name string, o PushOptions, next func(there map[string]tree.Hash) ([]Move, error)) (Receipt, error) {
	if o.Say == nil {
		o.Say = func(string) {}
	}
	at, err := addressOf(ctx, r, name)
	if err != nil {
		return Receipt{}, err
	}
	conn, err := at.connect(ctx)
	if err != nil {
		return Receipt{}, fmt.Errorf("connecting to %s: %w", name, understood(ctx, err))
	}
	defer func() { conn.close() }()
	there := conn.advertised()
	moves, err := next(maps.Clone(there.refs))
	if err != nil || len(moves) == 0 {
		return Receipt{}, err
	}
	if err := checkMoves(there, moves); err != nil {
		return Receipt{}, fmt.Errorf("pushing to %s: %w", name, err)
	}
	var body []byte
	if conn.takesPack() {
		body, err = pack(r, there, moves)
		if errors.Is(err, gitstore.ErrForGit) {
			conn.close()
			o.Say("git push takes over: " + err.Error())
			conn, err = &gitReceiver{address: at, there: there}, nil
		}
		if err != nil {
			return Receipt{}, fmt.Errorf("pushing to %s: %w", name, err)
		}
	}
	answer, err := conn.send(ctx, moves, body)
	if err != nil {
		return at.afterBreak(ctx, moves, err)
	}
	return at.judge(ctx, moves, answer)
}

// pack returns the objects that the moves need, nil when they only delete.
func pack(r *gitstore.Repo, there advertisement, moves []Move) ([]byte, error) {
	var wants []tree.Hash
	for _, m := range moves {
		if !m.New.IsZero() {
			wants = append(wants, m.New)
		}
	}
	if len(wants) == 0 {
		return nil, nil
	}
	return r.Outgoing(wants, gitstore.Known{Refs: there.refs, Others: there.have})
}

// checkMoves refuses what the remote would refuse, or what cannot be meant.
func checkMoves(there advertisement, moves []Move) error {
	seen := map[string]bool{}
	for _, m := range moves {
		if err := gitstore.CheckRefName(m.Ref); err != nil {
			return err
		}
		if seen[m.Ref] {
			return fmt.Errorf("%s is named twice in one push: %w", m.Ref, gitstore.ErrRefConflict)
		}
		seen[m.Ref] = true
		if got := there.refs[m.Ref]; got != m.Old {
			return &gitstore.ErrStale{Ref: m.Ref, Want: m.Old, Got: got}
		}
	}
	return nil
}

// judge turns a remote's answer into a receipt or an error. A refused ref that is
// not where it was means that another push was faster, whatever the remote's words are.
func (a address) judge(ctx context.Context, moves []Move, answer report) (Receipt, error) {
	receipt := Receipt{Words: answer.words}
	declined := &ErrDeclined{Remote: a.remote, Words: answer.words}
	for _, m := range moves {
		reason, told := answer.refs[m.Ref]
		switch {
		case !told && answer.unpack != "ok":
			reason = "unpacking: " + answer.unpack
		case !told:
			reason = "the remote did not say what became of it"
		case reason == "":
			receipt.Moved = append(receipt.Moved, m)
			continue
		}
		declined.Refs = append(declined.Refs, DeclinedRef{m.Ref, reason})
	}
	if len(declined.Refs) == 0 {
		return receipt, nil
	}
	if there, err := a.look(ctx); err == nil {
		for _, m := range moves {
			if got := there.refs[m.Ref]; got != m.Old && !slices.Contains(receipt.Moved, m) {
				return receipt, fmt.Errorf("pushing to %s: %w", a.remote, &gitstore.ErrStale{Ref: m.Ref, Want: m.Old, Got: got})
			}
		}
	}
	return receipt, fmt.Errorf("pushing to %s: %w", a.remote, declined)
}

// afterBreak finds out what became of a push whose answer did not arrive.
func (a address) afterBreak(ctx context.Context, moves []Move, cause error) (Receipt, error) {
	cause = fmt.Errorf("pushing to %s: %w", a.remote, understood(ctx, cause))
	if ctx.Err() != nil {
		return Receipt{}, errors.Join(ctx.Err(), cause)
	}
	there, err := a.look(ctx)
	if err != nil {
		return Receipt{}, fmt.Errorf("%w (whether it took effect is not known: asking again failed, too: %w)", cause, err)
	}
	var receipt Receipt
	for _, m := range moves {
		if there.refs[m.Ref] == m.New {
			receipt.Moved = append(receipt.Moved, m)
		}
	}
	if len(receipt.Moved) == len(moves) {
		return receipt, nil
	}
	return receipt, cause
}

// look asks for the refs of the remote.
func (a address) look(ctx context.Context) (advertisement, error) {
	conn, err := a.connect(ctx)
	if err != nil {
		return advertisement{}, err
	}
	defer conn.close()
	return conn.advertised(), nil
}

// receiver is a connection to the other side of a push.
type receiver interface {
	// advertised is what the other side said to begin with.
	advertised() advertisement
	// takesPack says whether send wants the objects; else it finds them itself.
	takesPack() bool
	send(ctx context.Context, moves []Move, pack []byte) (report, error)
	// close ends the connection, also a second time.
	close()
}

// Track remembers where the remote's refs are after a push, as the next fetch would. Without
// it, git status would call main ahead of what was just pushed; nothing depends on it.
func Track(r *gitstore.Repo, name string, moved ...Move) {
	var updates []gitstore.RefUpdate
	for _, m := range moved {
		updates = append(updates, gitstore.RefUpdate{Name: Tracking(name, m.Ref), New: m.New, Any: true, Reflog: "assent: push"})
		if m.Ref == "refs/heads/main" {
			updates = append(updates, gitstore.RefUpdate{Name: "refs/remotes/" + name + "/main", New: m.New, Any: true, Reflog: "assent: push"})
		}
	}
	if len(updates) > 0 {
		_ = r.Update(updates...)
	}
}
