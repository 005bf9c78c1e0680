package validate

import (
	"fmt"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// Input is what a validation reads. All of it is values: nothing is fetched.
type Input struct {
	// Base is the tree in force, Head the tree that main would become. Where Base is
	// a capability.Namer it is asked for names; the answers, and so the report, are
	// the same as if its folders were listed.
	Base, Head tree.View
	// BaseName and HeadName identify the trees in the report (object names).
	BaseName, HeadName string
	// Policies are those in force at the base, PolicyDiags the findings about their files.
	Policies    policy.Policies
	PolicyDiags diag.List
	// History returns the versions that path had on main up to Base, newest first;
	// circular edits are recognised by it. May be nil.
	History func(path string) ([]Earlier, error)
	// Merge returns the trees before and after the merge of a proposal into main, or nil if
	// main has no such merge. May be nil.
	Merge func(proposal string) (*Merged, error)
	// Alike names capabilities of the base that may resemble one in the change. The report
	// contains the names, so that it can be computed again without searching. If it is nil,
	// only the change's own capabilities are compared.
	Alike func(c capability.Capability) ([]capability.Folder, error)
	// Branch lists the contents in all commits that a merge would add to main's history,
	// the oldest first. May be nil, for a change that is not a branch yet.
	Branch func() ([]Brought, error)
	// Stopped returns the reason to end validation early, such as an interrupt by the user,
	// or nil to go on. May be nil.
	Stopped func() error
	// Schedule checks a cron expression of a workflow.
	Schedule func(string) error
	// Worktree is set if the change is uncommitted work: then no proposal file is
	// expected, and an empty change is fine.
	Worktree bool
	// Beginning is set if nothing precedes Head: its content is judged as it is, not as
	// newly added.
	Beginning bool
	// Today is the day on which waivers and entries of roles.yaml are judged; an
	// input, so that the same report can be made again.
	Today time.Time
	// Engine is the version of the program, for the report.
	Engine string
}

// change is an Input with the difference between its trees.
type change struct {
	Input
	changes  []tree.Change
	proposal *proposal.Proposal // the one that the change adds; nil without one
	file     string             // its path
	crowded  bool               // changes are the first of more than the limit
	// touched are the capability folders with a change in them; at has their indices by path.
	touched []capability.Touched
	at      map[string]int
}

// newChange computes the difference and finds the folders that it touches. The list has findings
// about the proposal's file, and files that belong to no capability.
//
// The invariant: a change with more paths than the limit is refused with that one finding, before anything else
// is done for any of them.
func newChange(in Input) (*change, diag.List, error) {
	most := in.Policies.Limits.FilesPerProposal
	changes, err := tree.DiffFirst(nil, most+1, in.Base, in.Head, scope(in)...)
	if err != nil {
		return nil, nil, fmt.Errorf("compare the change with its base: %w", err)
	}
	s := &change{Input: in, changes: changes}
	var out diag.List
	//defence:file-count
	if s.crowded = len(changes) > most || pathBytes(changes)/names.MaxPath > most; s.crowded {
		out.Errorf(RuleFileCount, diag.Pos{}, "split the change into several proposals",
			"the change has more than %d files, or their paths more than %d bytes on average", most, names.MaxPath)
		s.changes = changes[:min(len(changes), shownPaths)]
		return s, out, nil
	}
	if err := findProposal(s, &out); err != nil {
		return nil, nil, err
	}
	return s, out, findFolders(s, &out)
}

// shownPaths bounds the paths in the report on a change that has too many.
const shownPaths = 20

func pathBytes(changes []tree.Change) int {
	n := 0
	for _, c := range changes {
		n += len(c.Path)
	}
	return n
}

// scope lists the folders that are compared. Of a worktree these are only the governed
// folders, because other uncommitted files are not assent's concern.
func scope(in Input) []string {
	if !in.Worktree {
		return nil
	}
	return Governed()
}

// Governed returns the governed folders, for comparing trees.
func Governed() []string {
	var dirs []string
	for _, a := range names.GovernedAreas() {
		dirs = append(dirs, string(a))
	}
	return dirs
}

func findProposal(s *change, out *diag.List) error {
	for _, c := range s.changes {
		if names.Area(c.Path) != names.ProposalsArea || !c.Added() || !strings.HasSuffix(c.Path, ".md") || !c.New.Mode.IsFile() {
			continue
		}
		size, err := s.sizeOf(c)
		if err != nil {
			return err
		}
		if size > s.Policies.Limits.FileBytes { // which checkLimits says
			continue
		}
		src, err := s.Head.Read(c.Path)
		if err != nil {
			return fmt.Errorf("read %s: %w", c.Path, err)
		}
		p, diags := proposal.Parse(c.Path, src)
		out.Add(diags...)
		if s.Worktree { // a tree holds every proposal that was ever merged
			continue
		}
		if s.proposal != nil {
			out.Errorf(RuleOneProposal, diag.Pos{File: c.Path}, "split the change into one proposal each",
				"the change adds a second proposal file beside %s", s.file)
			continue
		}
		s.proposal, s.file = &p, c.Path
	}
	return nil
}

// findFolders finds the capability folders that the change touches.
func findFolders(s *change, out *diag.List) error {
	touched, orphans, err := capability.TouchedBy(s.Base, s.Head, s.changes)
	s.touched, s.at = touched, map[string]int{}
	for i, f := range touched {
		s.at[f.Dir] = i
	}
	for _, c := range orphans {
		out.Errorf(RuleOrphan, diag.Pos{File: c.Path},
			"put the file into skills/[<group>/]<name>/ beside a SKILL.md", "the file belongs to no capability: no SKILL.md above it")
	}
	return err
}

// readHead reads a file of the head that the change lists.
func (s *change) readHead(c tree.Change) ([]byte, error) {
	data, err := s.Head.Read(c.Path)
	if err != nil {
		return nil, fmt.Errorf("read %s of the change: %w", c.Path, err)
	}
	return data, nil
}

// readBase reads a file as it is in force; nil when it is new.
func (s *change) readBase(c tree.Change) ([]byte, error) {
	if c.Added() {
		return nil, nil
	}
	data, err := s.Base.Read(c.Path)
	if err != nil {
		return nil, fmt.Errorf("read %s of the base: %w", c.Path, err)
	}
	return data, nil
}
