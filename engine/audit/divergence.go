package audit

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/base/tree"
)

// link is one commit of a chain.
type link struct {
	commit tree.Hash
	// content is the hash of the commit's content without its position in the chain.
	content [sha256.Size]byte
	name    string // for people
}

// describeDivergence explains how a chain diverged from the recorded one, and returns the
// first missing commit. Both chains are in order; then is nil if the recorded chain is
// not in the repository, so that only its length is known. It must not be called if the
// chain continues the recorded one.
func describeDivergence(then, now []link, seen int) (tree.Hash, string) {
	switch {
	case then == nil && len(now) < seen:
		return tree.Hash{}, fmt.Sprintf("rolled back or dropped, there are %d of %d", len(now), seen)
	case then == nil:
		return now[seen-1].commit, fmt.Sprintf("forged or reordered, another commit is at place %d", seen)
	}
	i := 0
	for i < len(then) && i < len(now) && then[i].commit == now[i].commit {
		i++
	}
	if i == len(then) { // everything is here; the recorded number was wrong
		return then[i-1].commit, fmt.Sprintf("the checkpoint counts %d, and there were %d", seen, len(then))
	}
	lost := then[i]
	if i == len(now) {
		return lost.commit, fmt.Sprintf("rolled back, %d of %d were dropped from %s on", len(then)-i, len(then), lost.name)
	}
	still := contains(now[i:], lost.content)
	switch {
	case still && contains(then[i+1:], now[i].content):
		return lost.commit, fmt.Sprintf("reordered from place %d on, where %s was", i+1, lost.name)
	case still && lost.content != now[i].content:
		return lost.commit, fmt.Sprintf("forged, %s was put in at place %d", now[i].name, i+1)
	case !still && contains(then[i+1:], now[i].content):
		return lost.commit, fmt.Sprintf("dropped, %s is missing at place %d", lost.name, i+1)
	}
	return lost.commit, fmt.Sprintf("forged, %s at place %d was replaced by %s", lost.name, i+1, now[i].name)
}

// contains reports whether a chain has a commit with the given content.
func contains(chain []link, content [sha256.Size]byte) bool {
	return slices.ContainsFunc(chain, func(l link) bool { return l.content == content })
}
