package contribute

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

// States of an offer.
const (
	Sent    = "sent"     // now
	Would   = "would"    // a dry run would send it
	Waiting = "waiting"  // it was sent before, and is in the inbox there, or an open proposal
	Decided = "decided"  // it was sent before, and its proposal there was merged, rejected or withdrawn
	There   = "in_force" // the same content is in force there
)

// Options say what to offer.
type Options struct {
	Folder capability.Folder
	// To is the address of the other workspace's repository.
	To string
	// As is the name there under which it is offered.
	As string
	// WithRequires carries along what it requires and the other workspace lacks.
	WithRequires bool
	DryRun       bool
	// Paths of this machine that must not be sent.
	Paths []string
}

// Offer is the result.
type Offer struct {
	Name  string `json:"name"`
	State string `json:"state"`
	// Ref is the branch there, Base their main, Head the commit that was sent.
	Ref  string    `json:"ref"`
	Base tree.Hash `json:"base"`
	Head tree.Hash `json:"head"`
	// Known is the ref there that holds an earlier offer of the same content.
	Known string `json:"known"`
	// Replaces are the refs there of earlier offers of the capability by this workspace, which this one takes back: no
	// proposal was made of them yet.
	Replaces []string `json:"replaces"`
	Files    []string `json:"files"`
	// Carried are the capabilities that go along, Missing those that it needs and the other workspace
	// lacks.
	Carried []string   `json:"carried"`
	Missing []string   `json:"missing"`
	From    Provenance `json:"from"`
	// Text is the draft's.
	Text string `json:"text"`
}

// Provenance says where the capability comes from.
type Provenance struct {
	Workspace string    `json:"workspace"`
	Commit    tree.Hash `json:"commit"`
	Proposal  string    `json:"proposal"`
	Approvers []string  `json:"approvers"`
}

// Refusal says why something is not sent.
type Refusal struct{ Why string }

// Error implements error.
func (r *Refusal) Error() string { return r.Why }

func refuse(format string, args ...any) error { return &Refusal{fmt.Sprintf(format, args...)} }

// Run offers a capability. The error is a *Refusal if it must not be sent, or not to there.
func Run(ctx context.Context, cur workspace.Session, o Options) (Offer, error) {
	out := Offer{Name: o.Folder.Name, Replaces: []string{}, Files: []string{}, Carried: []string{}, Missing: []string{}}
	var earlier []string
	if names.IsName(o.As) {
		earlier = append(earlier, remote.InboxPrefix+o.As+"/"+readable(o.Folder.Name)+"-*")
	}
	there, err := remote.Draw(ctx, o.To, "refs/heads/main", remote.DrawBounds(), earlier...)
	if errors.Is(err, remote.ErrNoRef) {
		return out, refuse("it is no workspace: it has no branch main; check --to")
	}
	if err != nil {
		return out, fmt.Errorf("fetch main of the other workspace: %w", err)
	}
	defer there.Close()
	view, err := there.Repo.Snapshot(there.Commit)
	if err != nil {
		return out, err
	}
	if err := o.admitted(cur, there, view); err != nil {
		return out, err
	}
	out.Base = there.Commit
	b := bundle{cur: cur, there: capability.NamerOf(view), with: o.WithRequires}
	if err := b.add(ctx, o.Folder, true); err != nil {
		return out, err
	}
	if err := b.clean(o.Paths); err != nil {
		return out, err
	}
	out.Carried, out.Missing = append(out.Carried, b.carried...), append(out.Missing, b.missing...)
	for _, e := range b.edits {
		out.Files = append(out.Files, e.Path)
	}
	if out.From, err = provenanceOf(ctx, cur, o.Folder); err != nil {
		return out, err
	}
	same, err := inForce(view, b.edits)
	if err != nil || same {
		out.State = There
		return out, err
	}
	slug := slugOf(o.Folder.Name, propose.DigestOf(b.edits))
	out.Ref = remote.InboxPrefix + o.As + "/" + slug
	if err := b.commit(cur, there, &out, slug); err != nil {
		return out, err
	}
	return out, send(ctx, there, &out, slug, o.DryRun)
}

// admitted checks that the other repository is another workspace, which knows the name.
func (o Options) admitted(cur workspace.Session, there *remote.Drawn, view tree.View) error {
	if _, err := there.Repo.Commit(cur.Genesis); err == nil {
		return refuse("it is this workspace; assent push publishes proposals there")
	}
	ok, err := tree.Exists(view, policy.RolesFile)
	if err != nil {
		return err
	}
	if !ok {
		return refuse("it is no workspace: its main has no %s; check --to", policy.RolesFile)
	}
	policies, _ := policy.Load(view)
	var known []string
	for _, id := range policies.Roles.All() {
		if id.Kind == policy.KindAgent {
			known = append(known, id.Name)
		}
	}
	souls, err := view.List(string(names.SoulArea))
	if err != nil && !errors.Is(err, tree.ErrNotExist) {
		return err
	}
	for _, e := range souls {
		known = append(known, strings.TrimPrefix(e.Path, string(names.SoulArea)+"/"))
	}
	if !names.IsName(o.As) || !slices.Contains(known, o.As) {
		slices.Sort(known)
		return refuse("%q is no agent of that workspace; name one that you may propose as: --as NAME, one of %s", o.As, strings.Join(slices.Compact(known), ", "))
	}
	return nil
}

// slugOf names an offer: the same content has the same name, in the inbox and as a proposal. It is
// no longer than the readable part of a proposal's id, which is made of it there.
func slugOf(name, digest string) string {
	digest = strings.TrimPrefix(digest, "sha256:")
	return readable(name) + "-" + digest[:12]
}

func readable(name string) string { return strings.TrimRight(name[:min(len(name), 35)], "-") }

// provenanceOf finds the merge that brought the content in force, and who approved it.
func provenanceOf(ctx context.Context, cur workspace.Session, f capability.Folder) (Provenance, error) {
	p := Provenance{Workspace: cur.ID(), Commit: cur.InForce, Approvers: []string{}}
	changed, err := audit.LastChanges(cur.Repo, cur.InForce, []string{f.Path})
	if err != nil {
		return p, err
	}
	if c := changed[f.Path]; !c.Hash.IsZero() {
		p.Commit = c.Hash
	}
	log, err := audit.Log(ctx, cur, 1, func(c gitstore.Commit) (bool, error) { return c.Hash == p.Commit, nil })
	if err == nil && len(log) == 1 {
		p.Proposal, p.Approvers = log[0].Proposal, append(p.Approvers, log[0].Approvers...)
	}
	return p, err
}

// inForce reports whether the other workspace has all of the files.
func inForce(view tree.View, edits []tree.Edit) (bool, error) {
	for _, e := range edits {
		have, err := view.Lookup(e.Path)
		if errors.Is(err, tree.ErrNotExist) || err == nil && have.Hash != tree.BlobHash(e.Content) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// commit writes the commit to send, in the temporary repository.
func (b *bundle) commit(cur workspace.Session, there *remote.Drawn, out *Offer, slug string) error {
	out.Text = b.text(*out)
	draft, err := proposal.Format(proposal.Proposal{Goal: "adopt " + out.Name + ", offered by another workspace", Body: out.Text})
	if err != nil {
		return err
	}
	edits := append(slices.Clone(b.edits), tree.Edit{Path: string(names.ProposalsArea) + "/" + slug + ".md", Content: draft})
	main, err := there.Repo.Snapshot(there.Commit)
	if err != nil {
		return err
	}
	top, err := there.Repo.WriteTree(main.Tree(), edits)
	if err != nil {
		return err
	}
	name, email := cur.Repo.User()
	by := gitstore.Person{Name: name, Email: email, When: cur.Now()}
	out.Head, err = there.Repo.WriteCommit(gitstore.Commit{
		Tree: top, Parents: []tree.Hash{there.Commit}, Author: by, Committer: by, Message: title(out.Name) + "\n\n" + out.From.line() + "\n",
	}, nil)
	return err
}
