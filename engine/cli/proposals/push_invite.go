package proposals

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/checkpoint"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// invitation returns the command for others to clone the published main and to compare it with the
// commit in force here. It is empty if something other than main was published, or if the remote
// lacks the commit in force: such an anchor would be refused.
func invitation(ctx context.Context, w *workspace.Workspace, out exchange.Pushed) string {
	cur, err := w.Session(ctx)
	if err != nil {
		return "" // the push was made; status reports the error
	}
	main := cur.Main // if the remote has all of it
	if move := mainOf(out.Moves); move != nil {
		main = move.New
	} else if len(out.Moves)+len(out.Held) > 0 {
		return ""
	}
	if there, err := w.Repo.IsAncestor(cur.InForce, main); err != nil || !there {
		return ""
	}
	address := cloneAddress(w, out.Remote)
	if strings.ContainsFunc(address, unicode.IsControl) {
		return "" // who copies it loses them
	}
	return "assent clone " + names.ShellWord(address) + " --checkpoint " + names.ShellWord(checkpoint.Anchor{Workspace: cur.Genesis, Commit: cur.InForce}.String())
}

func mainOf(moves []remote.Move) *remote.Move {
	for i := range moves {
		if moves[i].Ref == attest.MainRef && !moves[i].New.IsZero() {
			return &moves[i]
		}
	}
	return nil
}

// cloneAddress is the address of a remote for others: without a login, and a folder by
// its whole path.
func cloneAddress(w *workspace.Workspace, name string) string {
	address := w.Repo.Config("remote." + name + ".url")
	if u, err := url.Parse(address); err == nil && u.Scheme != "" && u.Host != "" {
		if _, secret := u.User.Password(); secret || strings.HasPrefix(u.Scheme, "http") {
			u.User = nil
		}
		return u.String()
	}
	if strings.Contains(address, ":") || filepath.IsAbs(address) {
		return address
	}
	base := w.Repo.Root()
	if base == "" {
		base = w.Repo.CommonDir()
	}
	return filepath.Join(base, address)
}
