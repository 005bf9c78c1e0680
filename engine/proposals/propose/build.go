package propose

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/format/soul"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// built is a proposal as commits that no ref names yet.
type built struct {
	proposal proposal.Proposal
	file     string // the proposal's own file
	commit   tree.Hash
	passed   bool // see complete
}

// guard checks edits before any content is stored.
func guard(edits []tree.Edit, lim limits) diag.List {
	var out diag.List
	seen := map[string]bool{}
	total := int64(0)
	for _, e := range edits {
		pos := diag.Pos{File: e.Path}
		//defence:path-shape
		out.Add(names.CheckPath(e.Path)...)
		if !names.Governed(e.Path) {
			out.Errorf(RuleOutside, pos, "keep to soul/, skills/, policies/ and workflows/", "a proposal cannot change %s: it is not one of the governed folders", e.Path)
		}
		if area := names.Area(e.Path); area != names.OtherArea && !strings.HasPrefix(e.Path, string(area)+"/") {
			out.Errorf(validate.RulePathArea, pos, "use the folder "+string(area)+"/", "the path is another spelling of one below %s/", area)
		}
		if names.Area(e.Path) == names.ProposalsArea {
			out.Errorf(RuleWritten, pos, "leave it out; its text goes into the draft", "proposals/ is written by assent alone")
		}
		if seen[e.Path] {
			out.Errorf(RuleTwice, pos, "name each file once", "the file is given twice")
		}
		seen[e.Path] = true
		total += int64(len(e.Content))
		//defence:file-size
		if int64(len(e.Content)) > lim.file {
			out.Errorf(validate.RuleFileSize, pos, "make the file smaller, or keep the data elsewhere and name it",
				"the file has %d bytes, the limit is %d", len(e.Content), lim.file)
		}
	}
	//defence:file-count
	if len(edits) > lim.files {
		out.Errorf(validate.RuleFileCount, diag.Pos{}, "split the change into several proposals", "the change has %d files, the limit is %d", len(edits), lim.files)
	}
	//defence:proposal-bytes
	if total > lim.total {
		out.Errorf(validate.RuleBytes, diag.Pos{}, "split the change into several proposals", "the change has %d bytes, the limit is %d", total, lim.total)
	}
	return out
}

type limits struct {
	file, total int64
	files       int
}

func limitsOf(cur workspace.Session) limits {
	l := cur.Policies.Limits
	return limits{file: l.FileBytes, total: l.ProposalBytes, files: l.FilesPerProposal}
}

// build writes the proposal's commits on top of the commit in force.
func build(cur workspace.Session, r Request) (built, diag.List, error) {
	r.complete(cur)
	diags := r.check(cur)
	diags.Add(guard(r.Edits, limitsOf(cur))...)
	diags.Add(guard(r.Original, limitsOf(cur))...)
	if diags.HasErrors() {
		return built{}, diags, nil
	}
	if r.Proposal.ID == "" {
		var random [5]byte
		if _, err := io.ReadFull(cur.Random, random[:]); err != nil {
			return built{}, nil, fmt.Errorf("make an id: %w", err)
		}
		r.Proposal.ID = names.NewProposalID(slugOf(r.Proposal), random)
	}
	edits, more, err := withSoulEdit(cur.View, r)
	diags.Add(more...)
	if err != nil || diags.HasErrors() {
		return built{}, diags, err
	}
	b := built{file: r.file}
	if b.file == "" {
		b.file = names.ProposalPath(r.Proposal.ID, cur.Now().UTC())
	}
	changed, err := effectiveEdits(cur.View, edits)
	if err != nil {
		return built{}, diags, err
	}
	if len(changed) == 0 {
		diags.Errorf(validate.RuleEmptyChange, diag.Pos{}, "change a file, or leave it: there is nothing to propose",
			"the proposal changes nothing: every file is as it is in force")
		return built{}, diags, nil
	}
	b.proposal, err = b.write(cur, r, changed)
	if errors.Is(err, gitstore.ErrBadEdit) {
		diags.Errorf(RuleInTheWay, diag.Pos{}, "choose another path, or remove the existing file or folder in the same proposal", "%v", err)
		return built{}, diags, nil
	}
	return b, diags, err
}

// slugOf returns the readable part of an id. That of an undo, archive or restore begins with the
// kind, so that it differs from the id of its subject.
func slugOf(p proposal.Proposal) string {
	prefix := ""
	if p.Kind == proposal.Undo || p.Kind == proposal.Restore || p.Kind == proposal.Archive {
		prefix = string(p.Kind) + " "
	}
	if head, _, ok := names.ParseProposalID(p.Undoes); ok && p.Kind == proposal.Undo {
		return prefix + head
	}
	if p.Capability != "" {
		return prefix + p.Capability
	}
	return strings.TrimPrefix(p.Goal, prefix)
}

// effectiveEdits leaves out edits without effect.
func effectiveEdits(view tree.View, edits []tree.Edit) ([]tree.Edit, error) {
	var out []tree.Edit
	for _, e := range edits {
		old, err := view.Lookup(e.Path)
		if errors.Is(err, fs.ErrNotExist) {
			if !e.Remove {
				out = append(out, e)
			}
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("look for %s: %w", e.Path, err)
		}
		hash, mode := e.Hash, e.Mode
		if hash.IsZero() {
			hash = tree.BlobHash(e.Content)
		}
		if mode == 0 {
			mode = tree.Regular
		}
		if e.Remove || hash != old.Hash || mode != old.Mode {
			out = append(out, e)
		}
	}
	return out, nil
}

// withSoulEdit applies the section edit that the proposal asks for to the
// SOUL.md in force.
func withSoulEdit(view tree.View, r Request) ([]tree.Edit, diag.List, error) {
	s := r.Proposal.Soul
	if s == nil || s.Content == "" {
		return r.Edits, nil, nil
	}
	var diags diag.List
	diags.Add(names.CheckAgent(s.Agent, diag.Pos{})...)
	if diags.HasErrors() {
		return nil, diags, nil
	}
	file := "soul/" + s.Agent + "/SOUL.md"
	src, err := view.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		diags.Errorf(RuleSoulMissing, diag.Pos{File: file}, "make one with: assent new soul "+names.ShellWord(s.Agent), "agent %s has no SOUL.md in force", s.Agent)
		return nil, diags, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", file, err)
	}
	old, more := soul.Parse(file, src)
	diags.Add(more...)
	if diags.HasErrors() {
		return nil, diags, nil
	}
	edited, more := soul.Apply(old, soul.Edit{
		Agent: s.Agent, Section: s.Section, Mode: s.Mode, Content: s.Content,
		Capability: r.Proposal.Capability, Justification: r.Proposal.Goal, Proposer: r.Proposal.Agent,
	})
	diags.Add(more...)
	if diags.HasErrors() {
		return nil, diags, nil
	}
	return append(slices.Clone(r.Edits), tree.Edit{Path: file, Content: edited}), diags, nil
}

// write makes the commits: the original as found, if any, then the change with
// its proposal file.
func (b *built) write(cur workspace.Session, r Request, changed []tree.Edit) (proposal.Proposal, error) {
	p := r.Proposal
	p.Files = nil
	for _, e := range changed {
		p.Files = append(p.Files, e.Path)
	}
	slices.Sort(p.Files)
	file, err := proposal.Format(p)
	if err != nil {
		return p, err
	}
	parent, top := cur.InForce, cur.View.Tree()
	if !r.Parent.IsZero() { // the branch's own tree stays: only the proposal's changes are judged
		pushed, err := cur.Repo.Snapshot(r.Parent)
		if err != nil {
			return p, fmt.Errorf("read the pushed commit: %w", err)
		}
		parent, top = r.Parent, pushed.Tree()
		if changed, err = effectiveEdits(pushed, append(slices.Clone(changed), r.Drop...)); err != nil {
			return p, err
		}
	}
	if len(r.Original) > 0 {
		if parent, err = commitEdits(cur.Workspace, parent, top, r.Author, r.Original, asFound(r, p), cur.ProposalKey(r.By)); err != nil {
			return p, err
		}
	}
	all := append(slices.Clone(changed), tree.Edit{Path: b.file, Content: file})
	b.commit, err = commitEdits(cur.Workspace, parent, top, r.Author, all, message(p.Goal, "", p.ID), cur.ProposalKey(r.By))
	return p, err
}

// asFound is the message of the commit that holds an import as it came. The files
// that could not be stored are trailers, quoted, so that an export can name them.
func asFound(r Request, p proposal.Proposal) string {
	subject := "Import " + p.Capability + " as found"
	if p.Capability == "" {
		subject = "As found: " + p.Goal
	}
	out := message(subject, "The files exactly as they came; the next commit fits them in.", p.ID)
	for _, path := range r.LeftOut {
		out += LeftOutTrailer + ": " + strconv.Quote(path) + "\n"
	}
	return out
}

// LeftOutTrailer names a file of an import that is not stored, quoted as in Go.
const LeftOutTrailer = "Assent-Left-Out"

// commitEdits writes one commit whose tree is top with edits.
func commitEdits(w *workspace.Workspace, parent, top tree.Hash, author gitstore.Person, edits []tree.Edit, text string, signer ssh.Signer) (tree.Hash, error) {
	newTree, err := w.Repo.WriteTree(top, edits)
	if err != nil {
		return tree.Hash{}, fmt.Errorf("write the proposal's tree: %w", err)
	}
	var sign func([]byte) (string, error)
	if signer != nil {
		sign = func(payload []byte) (string, error) {
			armored, err := review.SignCommit(payload, signer)
			return string(armored), err
		}
	}
	commit, err := w.Repo.WriteCommit(gitstore.Commit{
		Tree: newTree, Parents: []tree.Hash{parent}, Author: author,
		Committer: gitstore.Person{Name: author.Name, Email: author.Email, When: w.Now()}, Message: text,
	}, sign)
	if err != nil {
		return tree.Hash{}, fmt.Errorf("write the proposal's commit: %w", err)
	}
	return commit, nil
}

// message builds a commit message: one line, a paragraph, the trailer.
func message(subject, body, id string) string {
	out := strings.Join(strings.Fields(subject), " ") + "\n\n"
	if body != "" {
		out += body + "\n\n"
	}
	return out + attest.ProposalTrailer + ": " + id + "\n"
}
