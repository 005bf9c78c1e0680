package followup

import (
	"cmp"
	"slices"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/registry/index"
)

// Question is whether one skill is still needed after one repair.
type Question struct {
	Skill index.Entry
	// Target is the capability that the skill applies to, as spelled there; Was is its entry, nil
	// if it is no longer in force.
	Target string
	Was    *index.Entry
	// Repair supersedes it, through the capabilities in By, the nearest first.
	Repair index.Entry
	By     []string
	// Workspace is the id of the workspace, Proposal that of the question's proposal, "" for the first.
	Workspace, Proposal string
}

// Finding is what the question's proposals are about. A later version of the same repair asks nothing new.
func (q Question) Finding() propose.Finding {
	return propose.Finding{Title: string(proposal.Archive) + " " + q.Skill.Name, Key: []string{"followup", q.Workspace, q.Repair.Path, q.Skill.Path}, Is: propose.Removes(q.Skill.Path)}
}

// ID is the id of the question's proposal.
func (q Question) ID() string { return cmp.Or(q.Proposal, q.Finding().After("")) }

// concerned selects the index entries that can be part of a question.
func concerned(e index.Entry) bool { return applies(e) || isTool(e) }

// applies reports whether e is a skill, not deprecated or retired, that applies to other
// capabilities.
func applies(e index.Entry) bool {
	return e.Kind == capability.KindSkill && len(e.AppliesTo) > 0 && e.Status != capability.Deprecated && e.Status != capability.Retired
}

func isTool(e index.Entry) bool { return e.Kind == capability.KindTool || e.Kind == capability.KindMCP }

// decide lists all questions about the capabilities in force, ordered by skill and by its
// applies_to.
func decide(all []index.Entry) []Question {
	named, successors := map[string]*index.Entry{}, map[string][]*index.Entry{}
	for i, e := range all {
		if !isTool(e) {
			continue
		}
		named[names.Fold(e.Name)] = &all[i]
		if e.Supersedes != "" {
			old := names.Fold(e.Supersedes)
			successors[old] = append(successors[old], &all[i])
		}
	}
	var out []Question
	for _, e := range all {
		if !applies(e) {
			continue
		}
		var asked []string
		for _, target := range e.AppliesTo {
			repair, by := successor(successors, target)
			if repair == nil || slices.Contains(asked, repair.Path) || knows(e, *repair) {
				continue
			}
			asked = append(asked, repair.Path)
			out = append(out, Question{Skill: e, Target: target, Was: named[names.Fold(target)], Repair: *repair, By: by})
		}
	}
	return out
}

// knows reports whether a skill says itself that it applies to the repair: it was written
// for that one, or was revised.
func knows(skill, repair index.Entry) bool {
	return slices.ContainsFunc(skill.AppliesTo, func(n string) bool { return names.Fold(n) == names.Fold(repair.Name) })
}

// successor is the nearest active capability that supersedes the target, directly or by
// way of others; nil for none.
func successor(of map[string][]*index.Entry, target string) (found *index.Entry, by []string) {
	type step struct {
		name string
		by   []string
	}
	seen := map[string]bool{names.Fold(target): true}
	for next := []step{{name: names.Fold(target)}}; len(next) > 0; next = next[1:] {
		for _, e := range of[next[0].name] {
			if seen[names.Fold(e.Name)] {
				continue
			}
			if e.Status == capability.Active && !e.SpecOnly && !e.Unsound {
				return e, next[0].by
			}
			seen[names.Fold(e.Name)] = true
			next = append(next, step{names.Fold(e.Name), append(slices.Clone(next[0].by), e.Name)})
		}
	}
	return nil, nil
}
