package stress_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// history is the content of a repository's refs, read through git.
type history struct {
	refs map[string]string // by full name
	// main is the first-parent line, oldest first.
	main     []commit
	journals map[string]journal // by proposal
	// faults are journals and lines that cannot be read.
	faults []finding
}

// journal holds a proposal's events, oldest first.
type journal []event

type event struct {
	commit
	kind     string
	sequence int
}

const (
	pulls  = "refs/assent/pulls/"
	folded = "refs/assent/closed/"
)

// recall reads all of a repository's history.
func (p *place) recall(r *reader) (history, error) {
	h := history{refs: map[string]string{}, journals: map[string]journal{}}
	out, err := p.ask("for-each-ref", "--format=%(objectname) %(refname)")
	if err != nil {
		return h, err
	}
	for line := range strings.Lines(out) {
		hash, ref, _ := strings.Cut(strings.TrimSpace(line), " ")
		h.refs[ref] = hash
	}
	for ref, tip := range h.refs {
		switch {
		case ref == "refs/heads/main":
			h.main, err = line(r, tip)
		case strings.HasPrefix(ref, pulls):
			h.keep(r, strings.TrimPrefix(ref, pulls), ref, tip)
		case strings.HasPrefix(ref, folded):
			err = h.unfold(r, ref, tip)
		}
		if err != nil {
			h.faults = append(h.faults, finding{"history", fmt.Sprintf("%s: %v", ref, err)})
		}
	}
	return h, nil
}

// line walks the first parents back from a commit.
func line(r *reader, tip string) ([]commit, error) {
	var out []commit
	for at := tip; at != ""; {
		c, err := r.commit(at)
		if err != nil {
			return nil, err
		}
		out, at = append(out, c), ""
		if len(c.parents) > 0 {
			at = c.parents[0]
		}
	}
	slices.Reverse(out)
	return out, nil
}

// keep reads the journal that ends at tip.
func (h *history) keep(r *reader, id, where, tip string) {
	var j journal
	for at, want := tip, 0; ; {
		c, err := r.commit(at)
		if err != nil {
			h.faults = append(h.faults, finding{"journal", fmt.Sprintf("%s: %v", where, err)})
			return
		}
		e := event{commit: c, kind: c.trailer("Assent-Event")}
		e.sequence, err = strconv.Atoi(c.trailer("Assent-Sequence"))
		if err != nil || want > 0 && e.sequence != want {
			h.faults = append(h.faults, finding{"sequence", fmt.Sprintf("%s: event %s has number %d, want %d", where, c.hash, e.sequence, want)})
			return
		}
		j = append(j, e)
		if want = e.sequence - 1; want == 0 {
			break
		}
		if len(c.parents) == 0 {
			h.faults = append(h.faults, finding{"sequence", fmt.Sprintf("%s: nothing before event %s with number %d", where, c.hash, e.sequence)})
			return
		}
		at = c.parents[0]
	}
	slices.Reverse(j)
	if j[0].kind != "opened" || id != "" && j[0].trailer("Branch") != "proposal/"+id {
		h.faults = append(h.faults, finding{"journal", fmt.Sprintf("%s begins with %q of %s", where, j[0].kind, j[0].trailer("Branch"))})
	}
	if id == "" {
		id = strings.TrimPrefix(j[0].trailer("Branch"), "proposal/")
	}
	if len(j) > len(h.journals[id]) { // both places hold it while it is being folded
		h.journals[id] = j
	}
}

// unfold reads the journals that were folded into one line. The parents of its commits are the
// fold before, other lines and last events of journals.
func (h *history) unfold(r *reader, ref, tip string) error {
	seen := map[string]bool{}
	for todo := []string{tip}; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[at] {
			continue
		}
		seen[at] = true
		c, err := r.commit(at)
		if err != nil {
			return err
		}
		if c.trailer("Assent-Fold") != "" {
			todo = append(todo, c.parents...)
			continue
		}
		h.keep(r, "", ref+" "+at, at)
	}
	return nil
}

// of returns a journal's events of one kind.
func (j journal) of(kind string) []event {
	return slices.DeleteFunc(slices.Clone(j), func(e event) bool { return e.kind != kind })
}

// says reports whether an event of the kind has the text in its message.
func (j journal) says(kind, text string) bool {
	return slices.ContainsFunc(j.of(kind), func(e event) bool { return strings.Contains(e.message, text) })
}

// merge returns main's commit for a proposal, zero if it has no merge.
func (h history) merge(id string) commit {
	for _, c := range h.main {
		if c.trailer("Assent-Proposal") == id {
			return c
		}
	}
	return commit{}
}

// open reports whether a proposal is neither closed nor merged.
func (h history) open(id string) bool {
	is := true
	for _, e := range h.journals[id] {
		switch e.kind {
		case "closed":
			is = false
		case "reopened":
			is = true
		}
	}
	return is && h.merge(id).hash == ""
}

// head returns the branch's commit according to the journal.
func (j journal) head() string {
	for _, e := range slices.Backward(j) {
		if e.kind == "pushed" || e.kind == "opened" {
			return e.trailer("Head")
		}
	}
	return ""
}
