package gitea

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/host"
)

// pushAPI reads which accounts pushed.
type pushAPI struct {
	*server
	*feed
}

// feed is the part of the repository's activity that was read. A server keeps a year of
// it and cannot filter it, so only new entries are read again.
type feed struct {
	reading sync.Mutex
	moves   []move // oldest first
	seen    map[int64]bool
}

// move is a branch's entry in the activity. A part that the server omitted is zero.
type move struct {
	id       int64
	ref      string
	login    string
	at       time.Time
	old, new tree.Hash
	removed  bool
	begins   bool // announces a branch's first push, which is the next entry
}

// Pushes lists the moves of a branch, oldest first. The server omits accounts that hide
// their activity, and the latest moves. Such a move shows by the next one, or by the tip of
// the branch; the list has it without an account.
func (api *pushAPI) Pushes(ctx context.Context, branch string) ([]host.Push, error) {
	var out []host.Push
	return out, api.repeat(ctx, func() error {
		head, err := api.tip(ctx, branch)
		if err != nil {
			return err
		}
		moves, err := api.activity(ctx, "refs/heads/"+branch)
		if err == nil {
			out = pushes(moves, head)
		}
		return err
	})
}

// tip returns the tip of a branch, zero if there is none.
func (api *pushAPI) tip(ctx context.Context, branch string) (tree.Hash, error) {
	var b *sdk.Branch
	err := api.ask(ctx, "look at the branch "+branch, func(c *sdk.Client) (resp *sdk.Response, err error) {
		b, resp, err = c.GetRepoBranch(api.Owner, api.Repo, branch)
		return resp, err
	})
	if missing(err) {
		return tree.Hash{}, nil
	}
	if err != nil {
		return tree.Hash{}, err
	}
	if b.Commit == nil {
		return tree.Hash{}, fmt.Errorf("look at the branch %s: %s shows no commit", branch, api.URL)
	}
	return tree.ParseHash(b.Commit.ID)
}

// feedPages bounds the activity that is read: ten thousand entries.
const feedPages = 200

// activity reads new entries of the activity and returns the moves of one branch.
func (api *pushAPI) activity(ctx context.Context, ref string) ([]move, error) {
	api.reading.Lock()
	defer api.reading.Unlock()
	read := 0
	list, err := pages(ctx, api.server, "read the repository's activity", func(a *sdk.Activity) int64 { return a.ID },
		func(c *sdk.Client, o sdk.ListOptions) ([]*sdk.Activity, *sdk.Response, error) {
			return c.ListRepoActivityFeeds(api.Owner, api.Repo, sdk.ListRepoActivityFeedsOptions{ListOptions: o})
		}, func(page []*sdk.Activity) bool {
			read++
			return read == feedPages || api.seen[page[len(page)-1].ID]
		})
	if refused(err) {
		return nil, fmt.Errorf("%w: %w", host.ErrUnknown, err)
	}
	if err != nil {
		return nil, err
	}
	if api.seen == nil {
		api.seen = map[int64]bool{}
	}
	for _, a := range list {
		if m, ok := moveOf(a); ok && !api.seen[a.ID] {
			api.moves = append(api.moves, m)
		}
		api.seen[a.ID] = true
	}
	order.Sort(api.moves, func(a, b move) int { return cmp.Compare(a.id, b.id) })
	var of []move
	for _, m := range api.moves {
		if m.ref == ref {
			of = append(of, m)
		}
	}
	return of, nil
}

// moveOf parses an entry. An address in its text names both commits. The entry before a
// new branch's first one has no text.
func moveOf(a *sdk.Activity) (move, bool) {
	m := move{id: a.ID, ref: a.RefName, at: a.Created, removed: a.OpType == "delete_branch"}
	if a.OpType != "commit_repo" && !m.removed || !strings.HasPrefix(a.RefName, "refs/heads/") {
		return m, false
	}
	if a.ActUser != nil {
		m.login = a.ActUser.UserName
	}
	m.begins = !m.removed && a.Content == ""
	var text struct {
		HeadCommit *struct{ Sha1 string }
		CompareURL string
	}
	if json.Unmarshal([]byte(a.Content), &text) != nil || text.HeadCommit == nil {
		return m, true // too long for the server, which stores {} instead
	}
	_, span, _ := strings.Cut(text.CompareURL, "/compare/")
	before, _, _ := strings.Cut(span, "...")
	m.old, _ = tree.ParseHash(before)
	m.new, _ = tree.ParseHash(text.HeadCommit.Sha1)
	return m, true
}

// pushes chains the known moves of a branch whose tip is head, without gaps.
func pushes(moves []move, head tree.Hash) []host.Push {
	var out []host.Push
	var at tree.Hash
	step := func(m move, login string, to tree.Hash) {
		if to != at {
			out = append(out, host.Push{Login: login, Old: at, New: to, At: m.at})
		}
		at = to
	}
	fresh := false
	for i, m := range moves {
		if m.begins {
			fresh = true
			continue
		}
		if from, known := m.from(fresh); known {
			step(m, "", from)
		}
		fresh = false
		step(m, m.login, m.to(moves[i+1:], head))
	}
	if len(moves) > 0 {
		step(moves[len(moves)-1], "", head)
	} else {
		step(move{}, "", head)
	}
	return out
}

// from returns the tip of a branch before a move, if known; zero for a fresh branch.
func (m *move) from(fresh bool) (tree.Hash, bool) {
	if fresh {
		return tree.Hash{}, true
	}
	return m.old, !m.removed && !m.old.IsZero()
}

// to returns the tip of a branch after a move. If the server omitted it, it is the start
// of the next move, or the current tip.
func (m *move) to(later []move, head tree.Hash) tree.Hash {
	if m.removed || !m.new.IsZero() {
		return m.new
	}
	if len(later) > 0 {
		return later[0].old
	}
	return head
}
