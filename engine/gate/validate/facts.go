package validate

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/learn"
	"github.com/assent-dev/assent/engine/format/soul"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/scan"
)

// mostFindings bounds the findings of one rule in one file that a report has: a megabyte can cause
// a hundred thousand, and every reader of the report prints, signs or compares them. Facts count all.
const mostFindings = 100

// report closes the validation: sorted findings, the facts of the change, and the
// risk that follows from them.
func (s *subject) report() (Report, error) {
	s.diags.Sort()
	r := Report{
		V: ReportVersion, Engine: s.Engine, Base: s.BaseName, Result: s.HeadName,
		Passed: !s.diags.HasErrors(), Diagnostics: s.diags.Shorten(mostFindings), Files: []File{}, Compared: s.compared,
	}
	if r.Diagnostics == nil {
		r.Diagnostics = diag.List{}
	}
	for _, c := range s.changes {
		r.Files = append(r.Files, fileOf(c))
	}
	r.Scan = s.scanFacts()
	var err error
	if r.Changes, err = s.changeFacts(s.guarded); err != nil {
		return r, err
	}
	f := policy.Facts{Changes: r.Changes}
	f.Evidence.Scan = r.Scan
	if s.proposal != nil {
		r.Proposal = s.proposal.ID
		if s.guarded {
			kind, err := s.kind()
			if err != nil {
				return r, err
			}
			r.Kind = string(kind)
		}
		f.ID, f.Kind, f.Claimed, f.Agent, f.For = s.proposal.ID, r.KindOf(*s.proposal), string(s.proposal.Kind), s.proposal.Agent, s.proposal.For
	}
	r.Risk = policy.DeriveRisk(s.Policies, f)
	return r, nil
}

func fileOf(c tree.Change) File {
	f := File{Path: c.Path, Change: string(opOf(c))}
	if !c.Removed() && !c.New.Hash.IsZero() {
		f.Blob = c.New.Hash.String()
	}
	return f
}

func opOf(c tree.Change) policy.Op {
	switch {
	case c.Added():
		return policy.Added
	case c.Removed():
		return policy.Removed
	}
	return policy.Modified
}

// scanFacts counts the scanner's findings among all diagnostics.
func (s *subject) scanFacts() policy.Scan {
	out := policy.Scan{Ran: s.guarded}
	var found diag.List
	rules := map[string]scan.Layer{}
	for _, r := range scan.Rules() {
		rules[r.ID] = r.Layer
	}
	for _, d := range s.diags {
		layer, ok := rules[d.Rule]
		if !ok {
			continue
		}
		found.Add(d)
		switch d.Severity {
		case diag.Error:
			out.Errors++
		case diag.Warning:
			out.Warnings++
		}
		if layer == scan.Instructions && d.Severity != diag.Note {
			out.Injections = append(out.Injections, d.Pos)
		}
	}
	out.Score = scan.Score(found)
	return out
}

// changeFacts describes the difference: its paths alone unless guarded says that names and sizes
// are such that content may be read.
func (s *purpose) changeFacts(guarded bool) (policy.Changes, error) {
	var out policy.Changes
	for _, c := range s.changes {
		size := int64(0)
		if !c.Removed() {
			var err error
			if size, err = s.sizeOf(c); err != nil {
				return out, err
			}
		}
		out.Paths = append(out.Paths, policy.PathChange{Path: c.Path, Op: opOf(c), Size: size})
		out.Bytes += size
	}
	if !guarded {
		return out, nil
	}
	for _, c := range s.changes {
		if err := s.soulFacts(c, &out); err != nil {
			return out, err
		}
		if c.Path == policy.RolesFile && !c.Removed() && c.New.Mode.IsFile() {
			head, err := s.readHead(c)
			if err != nil {
				return out, err
			}
			out.Revokes = s.Policies.Roles.Bereft(head)
		}
	}
	all, err := s.load()
	if err != nil {
		return out, err
	}
	found, err := s.callers()
	if err != nil {
		return out, err
	}
	for _, l := range all {
		fact, err := s.capabilityFacts(l)
		if err != nil {
			return out, err
		}
		out.Capabilities = append(out.Capabilities, fact)
	}
	out.Callers, out.CallersLeft = found.callers, found.left
	return out, nil
}

func (s *purpose) soulFacts(c tree.Change, out *policy.Changes) error {
	agent, ok := names.AgentOf(c.Path)
	if !ok || c.Path != soulPath(agent) || !c.Removed() && !c.New.Mode.IsFile() {
		return nil
	}
	var base, head []byte
	var err error
	if base, err = s.readBase(c); err != nil {
		return err
	}
	if !c.Removed() {
		if head, err = s.readHead(c); err != nil {
			return err
		}
		if outgrown(base, head) {
			out.Soul = append(out.Soul, policy.SoulEdit{Agent: agent, Mode: "replace", Protected: true, Pos: diag.Pos{File: c.Path}})
			return nil
		}
		if learned, diags := soul.ReadLearned(head); !diags.HasErrors() {
			if out.Learned == nil {
				out.Learned = map[string]int{}
			}
			out.Learned[agent] = len(learned)
		}
	}
	if base == nil {
		return nil // a new identity is judged by its path
	}
	protected := len(soul.CompareProtected(c.Path, base, head, s.Policies.Security.Protected)) > 0
	engineOnly, err := s.engineOnly(c.Path, base, head)
	if err != nil {
		return err
	}
	edits := sectionEdits(c.Path, agent, base, head, engineOnly, s.Policies.Security)
	heading := strings.Join(soul.NewHeadings(base, head), ", ")
	for i := range edits {
		edits[i].Protected = protected
		if heading != "" && !edits[i].Engine && edits[i].Identity == "" {
			edits[i].Identity = "reads like a new heading: " + heading
		}
	}
	if protected && len(edits) == 0 {
		edits = []policy.SoulEdit{{Agent: agent, Mode: "replace", Protected: true, Pos: diag.Pos{File: c.Path}}}
	}
	out.Soul = append(out.Soul, edits...)
	return nil
}

func (s *capabilities) capabilityFacts(l loaded) (policy.Capability, error) {
	out := policy.Capability{Name: l.Name, Path: l.Dir, Op: policy.Modified, Pos: diag.Pos{File: l.Dir + "/" + names.SkillFile}}
	c := l.head
	switch {
	case !l.InHead:
		out.Op, c = policy.Removed, l.base
	case !l.InBase:
		out.Op = policy.Added
	default:
		out.WasStatus = string(l.base.Status)
		out.SameCode = s.sameCode(l) && !(s.calling != nil && s.calling.touched[names.Fold(l.Name)])
	}
	if err := s.forModels(l, &out); err != nil {
		return out, err
	}
	out.Kind, out.Executable, out.Status = string(c.Kind), c.Executable, string(c.Status)
	out.Category, out.Description = c.Category, c.Description
	r := c.Record
	if r.Cost != nil {
		out.CostPerUse, out.Currency = r.Cost.PerUse, r.Cost.Currency
	}
	out.Secrets, out.Hosts = r.Requires.Secrets, r.Requires.Hosts
	out.SideEffects, out.Permissions = policy.Effects(r.SideEffects), r.Permissions
	if err := out.DeclaredRisk.UnmarshalText([]byte(r.Risk)); err != nil {
		out.DeclaredRisk = policy.UnknownTier
	}
	return out, s.countChars(l.Touched, &out)
}

// forModels says whether the change takes a skill away from some models, and which skill it replaces for some.
func (s *capabilities) forModels(l loaded, out *policy.Capability) error {
	models := l.head.Record.Models
	if len(models) == 0 || !l.InHead {
		return nil
	}
	was := l.base.Record.Models
	out.Narrowed = l.InBase && (len(was) == 0 || slices.ContainsFunc(was, func(p string) bool { return !slices.Contains(models, p) }))
	if l.head.Record.Implements == "" || names.Fold(l.head.Record.Implements) == names.Fold(l.Name) {
		return nil
	}
	other, there, err := s.known(l.head.Record.Implements)
	if err == nil && there && l.head.VariantOf(other) {
		out.StandsIn = other.Path
	}
	return err
}

// sameCode reports whether the code and its tests are as in the base. In the folder only
// SKILL.md may differ, which programs cannot read (package tool), and in the record only
// fields that do not affect a run.
func (s *capabilities) sameCode(l loaded) bool {
	if l.headDiags.HasErrors() || l.baseDiags.HasErrors() {
		return false
	}
	for _, c := range l.Changes {
		name := strings.TrimPrefix(c.Path, l.Dir+"/")
		//defence:same-code-is-compared
		if name != capability.SkillFile && name != capability.RecordFile {
			return false
		}
	}
	return l.head.Record.RunsAs(l.base.Record)
}

// countChars counts added and removed characters by line, so that moving a text
// within a file counts as nothing new.
func (s *capabilities) countChars(f capability.Touched, out *policy.Capability) error {
	for _, c := range f.Changes {
		var before, after []byte
		var err error
		if before, err = s.readBase(c); err != nil {
			return err
		}
		if !c.Removed() {
			if after, err = s.readHead(c); err != nil {
				return err
			}
		}
		out.Chars += newChars(before, after)
		out.CharsRemoved += newChars(after, before)
	}
	return nil
}

func newChars(before, after []byte) int {
	known := map[string]int{}
	for _, l := range strings.SplitAfter(string(before), "\n") {
		known[l]++
	}
	n := 0
	for _, l := range strings.SplitAfter(string(after), "\n") {
		if known[l] > 0 {
			known[l]--
			continue
		}
		n += utf8.RuneCountInString(l)
	}
	return n
}

// engineOnly reports whether two versions of a SOUL.md differ only in the engine's own
// learned entries, and whether these are the entries that the engine writes for this
// change. A list that lost entries of the engine, or has them in another order, was edited
// by someone else.
func (s *purpose) engineOnly(file string, base, head []byte) (bool, error) {
	registry, err := s.registry()
	if err != nil {
		return false, err
	}
	before, after := learn.NewOwnerBy(s.Base, s.names), learn.NewOwnerBy(s.Head, registry)
	same := string(before.Without(base)) == string(after.Without(head))
	if err := errors.Join(before.Err(), after.Err()); err != nil || !same {
		return false, err
	}
	lists := learn.Lists{View: s.Head, Day: names.ProposalDay(s.file)}
	if s.proposal != nil {
		lists.Learner = cmp.Or(s.proposal.For, s.proposal.Agent)
	}
	lists.Steps = learn.StepsOf(s.touched)
	found, err := learn.Deviations(s.Base, s.Head, lists, []string{file}, s.Today.Format(time.DateOnly))
	//defence:lost-entries-are-an-edit
	foreign := slices.ContainsFunc(found, func(d learn.Deviation) bool { return d.Path == file && d.Foreign })
	return !foreign, err
}
