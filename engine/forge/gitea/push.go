package gitea

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/host"
)

// feed is what was read of the repository's activity: a server keeps it for a year and
// hands it out as a whole, so that only what is new is read again.
type feed struct {
	reading sync.Mutex
	moves   []move // oldest first
	known   map[int64]bool
}

// move is a branch's entry in the activity. What the server cut off is zero.
type move struct {
	id       int64
	ref      string
	login    string
	at       time.Time
	old, new tree.Hash
	removed  bool
	begins   bool // says only that the next one is a branch's first push
}

// Pushes lists who moved a branch, oldest first. Accounts that hide their activity, and
// what happened a moment ago, are not in what the server tells; such a move is seen by
// what comes after it, or by where the branch is, and stands in the list as nobody's.
func (h *Host) Pushes(ctx context.Context, branch string) ([]host.Push, error) {
	var out []host.Push
	return out, h.repeat(ctx, func() error {
		head, err := h.tip(ctx, branch)
		if err != nil {
			return err
		}
		moves, err := h.activity(ctx, "refs/heads/"+branch)
		if err == nil {
			out = pushes(moves, head)
		}
		return err
	})
}

// tip is where a branch is, zero for none.
func (h *Host) tip(ctx context.Context, branch string) (tree.Hash, error) {
	var b *sdk.Branch
	err := h.ask(ctx, "look at the branch "+branch, func(c *sdk.Client) (resp *sdk.Response, err error) {
		b, resp, err = c.GetRepoBranch(h.Owner, h.Repo, branch)
		return resp, err
	})
	if missing(err) {
		return tree.Hash{}, nil
	}
	if err != nil {
		return tree.Hash{}, err
	}
	if b.Commit == nil {
		return tree.Hash{}, fmt.Errorf("look at the branch %s: %s shows no commit", branch, h.URL)
	}
	return tree.ParseHash(b.Commit.ID)
}

// feedPages is how far back the activity is read at most: ten thousand entries.
const feedPages = 200

// activity reads on in the repository's activity and returns the moves of one branch.
func (h *Host) activity(ctx context.Context, ref string) ([]move, error) {
	h.reading.Lock()
	defer h.reading.Unlock()
	read := 0
	list, err := pages(ctx, h, "read the repository's activity", func(a *sdk.Activity) int64 { return a.ID },
		func(c *sdk.Client, o sdk.ListOptions) ([]*sdk.Activity, *sdk.Response, error) {
			return c.ListRepoActivityFeeds(h.Owner, h.Repo, sdk.ListRepoActivityFeedsOptions{ListOptions: o})
		}, func(page []*sdk.Activity) bool {
			read++
			return read == feedPages || h.known[page[len(page)-1].ID]
		})
	if refused(err) {
		return nil, fmt.Errorf("%w: %w", host.ErrUnknown, err)
	}
	if err != nil {
		return nil, err
	}
	if h.known == nil {
		h.known = map[int64]bool{}
	}
	for _, a := range list {
		if m, ok := moveOf(a); ok && !h.known[a.ID] {
			h.moves = append(h.moves, m)
		}
		h.known[a.ID] = true
	}
	slices.SortFunc(h.moves, func(a, b move) int { return cmp.Compare(a.id, b.id) })
	var of []move
	for _, m := range h.moves {
		if m.ref == ref {
			of = append(of, m)
		}
	}
	return of, nil
}

// moveOf reads an entry. The text of one says from where to where in an address to look
// at; where the branch is new, the entry before it has no text.
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
		return m, true // too long for the server, which then keeps {}
	}
	_, span, _ := strings.Cut(text.CompareURL, "/compare/")
	before, _, _ := strings.Cut(span, "...")
	m.old, _ = tree.ParseHash(before)
	m.new, _ = tree.ParseHash(text.HeadCommit.Sha1)
	return m, true
}

// pushes makes one unbroken line of what is known of a branch that is at head now.
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

// from is where a branch was before a move, if that is known; a fresh one was nowhere.
func (m *move) from(fresh bool) (tree.Hash, bool) {
	if fresh {
		return tree.Hash{}, true
	}
	return m.old, !m.removed && !m.old.IsZero()
}

// to is where a move put its branch. What the server does not say led to where the next
// one began, or to where the branch is now.
func (m *move) to(later []move, head tree.Hash) tree.Hash {
	if m.removed || !m.new.IsZero() {
		return m.new
	}
	if len(later) > 0 {
		return later[0].old
	}
	return head
}
