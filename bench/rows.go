package main

import "context"

// row is one row of the table: what is measured, and beside what.
type row struct {
	// id is what -row takes. Numbers are those of the list of goals.
	id, title string
	run       func(context.Context, *bench) ([]line, error)
}

// rows are in the order of the table.
func rows() []row {
	return []row{
		{"1", "propose: a branch and a commit of four files, synced to disk", proposeBesideGit},
		{"2", "the same in a large registry", proposeLarge},
		{"3", "push of a proposal's branch", pushBesideGit},
		{"4", "list and read every SKILL.md, repository freshly opened", readAll},
		{"5", "cold index: read, parse and index every capability", coldIndex},
		{"6", "warm open: the kept index, and one name looked up", warmIndex},
		{"7", "refresh of the index after one merged change", refreshed},
		{"8", "find the ten best, index open", search},
		{"10", "scan texts for what is dangerous", scanner},
		{"11", "open the workspace and validate one proposal", validateOne},
		{"12", "say whether a change may come into a large registry", beside},
		{"13", "record trials", recordTrials},
		{"14", "counts of trials", foldTrials},
		{"15", "a pass of gc, which proposes nothing", collect},
		{"16", "a call of a tool in the sandbox", sandboxed},
		{"calls", "a call of a tool by an agent", called},
		{"hooks", "what a client waits for at an event", hooked},
		{"tests", "the tests of a tool", tested},
		{"17", "start of the program", start},
		{"18", "whole commands: time and memory", commands},
		{"refs", "refs that a fetch is told", advertised},
		{"past", "a workspace with a past", past},
	}
}

// unit says what figures are.
type unit string

const (
	inSeconds unit = "s"
	inBytes   unit = "B"
	inRefs    unit = "refs"
)

// line is one comparison of a row.
type line struct {
	// What is measured, at which size; Peer is what it is compared with.
	What string `json:"what"`
	Peer string `json:"peer"`
	Unit unit   `json:"unit"`
	// Ours and Theirs are medians.
	Ours   float64 `json:"ours"`
	Theirs float64 `json:"theirs"`
	// Goal is the upper bound of Ours/Theirs, Most of Ours, and Above of Ours-Theirs; 0 is no bound.
	Goal  float64 `json:"goal,omitempty"`
	Most  float64 `json:"most,omitempty"`
	Above float64 `json:"above,omitempty"`
}

func (l line) ratio() float64 {
	if l.Theirs == 0 {
		return 0
	}
	return l.Ours / l.Theirs
}

// met says "yes", "no", or nothing where there is no goal.
func (l line) met() string {
	switch {
	case l.Goal == 0 && l.Most == 0 && l.Above == 0:
		return ""
	case l.Goal > 0 && (l.Theirs == 0 || l.ratio() > l.Goal), l.Most > 0 && l.Ours > l.Most, l.Above > 0 && l.Ours-l.Theirs > l.Above:
		return "no"
	}
	return "yes"
}

// result is what a row came to.
type result struct {
	Row   string `json:"row"`
	Title string `json:"title"`
	Lines []line `json:"lines"`
	// Failed says why a row could not be measured, or not all of it.
	Failed string `json:"failed,omitempty"`
}
