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

// Move changes one ref of a remote repository from Old to New. A zero Old means that the ref
// must not exist, a zero New deletes it.
type Move struct {
	Ref      string
	Old, New tree.Hash
}

// PushOptions configures a push. The zero value is valid.
type PushOptions struct {
	// Say receives progress messages of a long push; nil discards them.
	Say func(line string)
}

// Receipt is the answer of a remote that accepted a push.
type Receipt struct {
	// Moved lists the refs that the remote moved.
	Moved []Move
	// Words is text for people from the remote and its hooks. It is untrusted: clean it before
	// showing it on a terminal.
	Words string
}

// ErrDeclined reports that a remote refused a push. If the remote is atomic, as Git's own is,
// nothing took effect.
type ErrDeclined struct {
	Remote string
	// Refs lists the refused refs with the remote's reasons.
	Refs []DeclinedRef
	// Words is text for people from the remote and its hooks.
	Words string
}

// DeclinedRef is one refused ref and the remote's reason: one line of untrusted text.
type DeclinedRef struct{ Ref, Reason string }

// Error implements error.
func (e *ErrDeclined) Error() string {
	reasons := make([]string, len(e.Refs))
	for i, d := range e.Refs {
		reasons[i] = fmt.Sprintf("%s (%s)", d.Ref, d.Reason)
	}
	return fmt.Sprintf("%s refused %s", e.Remote, strings.Join(reasons, ", "))
}

// Busy reports whether the remote could not move a ref for a transient reason: most likely
// another push held its lock.
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

// Push connects to a configured remote, passes its refs to next, and has the remote make the
// moves that next returns, atomically if the remote can. Without moves nothing is pushed. An
// error of next is returned.
//
// Each move is made only if the ref is at Move.Old, even if the remote would allow more. If a
// ref is elsewhere, the error is a *gitstore.ErrStale with its value; for any other refusal it
// is an *ErrDeclined. If the connection breaks after everything was sent, Push asks the remote
// for its refs, so an error means that the moves were not made, or that this is unknown.
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
		return Receipt{}, fmt.Errorf("connecting to %s: %w", name, withReason(ctx, err))
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
		return at.checkAfterBreak(ctx, moves, err)
	}
	return at.judge(ctx, moves, answer)
}

// pack returns the objects that the moves need, nil if they only delete.
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

// checkMoves refuses invalid moves, and moves that the remote would refuse.
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

// judge converts a remote's answer to a receipt or an error. If a refused ref is not at its old
// value, another push was faster, whatever the remote's reason is.
func (a address) judge(ctx context.Context, moves []Move, answer report) (Receipt, error) {
	receipt := Receipt{Words: answer.words}
	declined := &ErrDeclined{Remote: a.remote, Words: answer.words}
	for _, m := range moves {
		reason, known := answer.refs[m.Ref]
		switch {
		case !known && answer.unpack != "ok":
			reason = "unpacking: " + answer.unpack
		case !known:
			reason = "the remote sent no result for it"
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

// checkAfterBreak determines the result of a push whose answer did not arrive.
func (a address) checkAfterBreak(ctx context.Context, moves []Move, cause error) (Receipt, error) {
	cause = fmt.Errorf("pushing to %s: %w", a.remote, withReason(ctx, cause))
	if ctx.Err() != nil {
		return Receipt{}, errors.Join(ctx.Err(), cause)
	}
	there, err := a.look(ctx)
	if err != nil {
		return Receipt{}, fmt.Errorf("%w (its effect is unknown, because asking again failed, too: %w)", cause, err)
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

// look returns the refs of the remote.
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
	// advertised returns the remote's initial advertisement.
	advertised() advertisement
	// takesPack reports whether send needs the objects; otherwise it finds them itself.
	takesPack() bool
	send(ctx context.Context, moves []Move, pack []byte) (report, error)
	// close ends the connection; repeated calls have no effect.
	close()
}

// Track sets the tracking refs after a push, as the next fetch would. Otherwise git status
// would report main as ahead of the remote; nothing else depends on it.
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
