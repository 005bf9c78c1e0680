package contribute

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/remote"
)

// proposalRefs are the refs of open proposals.
const proposalRefs = "refs/heads/" + forge.BranchPrefix

// found is what the refs of the other repository say about a capability.
type found struct {
	// same is a ref with an offer of the same content; open says that it is not decided yet.
	same string
	open bool
	// others are the inbox branches and the open proposals with other content of it.
	others []string
}

var ofContent = regexp.MustCompile(`^[0-9a-f]{12}$`)

// look finds the offers of a capability, given the name of this one.
func look(refs map[string]tree.Hash, slug string) found {
	var f found
	base := slug[:len(slug)-len("-000000000000")]
	for _, ref := range slices.Sorted(maps.Keys(refs)) {
		last, waits, open := ref[strings.LastIndexByte(ref, '/')+1:], strings.HasPrefix(ref, remote.InboxPrefix), strings.HasPrefix(ref, proposalRefs)
		if head, _, isID := names.ParseProposalID(last); isID && !waits {
			last = head
		} else if !waits {
			continue
		}
		content, is := strings.CutPrefix(last, base+"-")
		switch {
		case last == slug:
			if !f.open {
				f.same, f.open = ref, waits || open
			}
		case is && ofContent.MatchString(content) && (waits || open):
			f.others = append(f.others, ref)
		}
	}
	return f
}

// replaced splits earlier offers: those in the inbox that this workspace sent in the same name go away with the new one.
// standing is the offer that stays, empty without one.
func (p Provenance) replaced(refs map[string]tree.Hash, others []string, name string, message func(tree.Hash) string) (gone []string, standing string) {
	for _, ref := range others {
		if text := message(refs[ref]); strings.HasPrefix(text, title(name)+"\n") && strings.Contains(text, "\nFrom workspace "+p.Workspace+",") {
			gone = append(gone, ref)
		} else {
			standing = ref
		}
	}
	return gone, standing
}

func title(name string) string { return "Offer " + name }

// moves decides what to push, given the refs there: nothing if the same content was sent before. An offer of other
// content that is decided there, or is another's, must be settled first.
func (out *Offer) moves(refs map[string]tree.Hash, slug string, message func(tree.Hash) string) ([]remote.Move, error) {
	f := look(refs, slug)
	if f.same != "" {
		if out.Known, out.State = f.same, Decided; f.open {
			out.State = Waiting
		}
		return nil, nil
	}
	gone, standing := out.From.replaced(refs, f.others, out.Name, message)
	if id, is := strings.CutPrefix(standing, proposalRefs); is {
		return nil, refuse("an earlier offer of it is open there, %s, and both would change the same files: have it merged or rejected there, or taken back (assent withdraw %s there), then offer it again", id, names.ShellWord(id))
	}
	if standing != "" {
		return nil, refuse("another offer of it waits there, %s, which this workspace did not send: wait until it was decided", strings.TrimPrefix(standing, "refs/heads/"))
	}
	out.Replaces = append([]string{}, gone...)
	moves := []remote.Move{{Ref: out.Ref, New: out.Head}}
	for _, ref := range gone {
		moves = append(moves, remote.Move{Ref: ref, Old: refs[ref]})
	}
	return moves, nil
}

// send pushes the branch, and deletes those that it replaces. A dry run only reads: already the begin of a push to a folder
// runs programs that its settings name.
func send(ctx context.Context, there *remote.Drawn, out *Offer, slug string, dryRun bool) error {
	message := func(h tree.Hash) string { // "" for one that was pushed since
		c, err := there.Repo.Commit(h)
		if err != nil {
			return ""
		}
		return c.Message
	}
	//defence:dry-offers-only-read
	if dryRun {
		out.State = Would
		refs, err := there.Refs(ctx)
		if err == nil {
			_, err = out.moves(refs, slug, message)
		}
		return err
	}
	receipt, err := remote.Push(ctx, there.Repo, remote.Foreign, remote.PushOptions{}, func(refs map[string]tree.Hash) ([]remote.Move, error) {
		return out.moves(refs, slug, message)
	})
	switch {
	case err != nil:
		return err
	case len(receipt.Moved) > 0:
		out.State = Sent
	}
	return nil
}
