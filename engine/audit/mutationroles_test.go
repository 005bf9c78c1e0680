package audit_test

import (
	"path"
	"slices"
	"strings"

	"maps"

	"github.com/assent-dev/assent/engine/base/tree"
)

// assign gives every object its role in the record.
func (m *mutator) assign() {
	for _, name := range slices.Sorted(maps.Keys(m.refs)) {
		switch refRole(name) {
		case "journal":
			m.journal(m.refs[name], "")
		case "line of folds":
			m.line(m.refs[name])
		}
	}
	for h := m.refs["refs/heads/main"]; !h.IsZero(); {
		head, message := split(m.things[h].raw)
		role := "commit on main"
		switch {
		case strings.Contains(message, "\nAssent-Genesis: "):
			role = "genesis commit"
		case strings.Contains(message, "\nAssent-Proposal: "):
			role = "merge commit"
		}
		m.own(h, role)
		m.below(m.treeOf(h), "", func(file string) string {
			area, _, _ := strings.Cut(file, "/")
			return "file of " + area
		}, "tree on main")
		parents := parentLine.FindAllStringSubmatch(head, -1)
		h = tree.Hash{}
		if len(parents) > 0 {
			h, _ = tree.ParseHash(parents[0][1])
		}
	}
	for h, o := range m.things {
		if m.roles[h] == "" {
			m.roles[h] = o.kind + " of a proposal"
		}
	}
}

func (m *mutator) own(h tree.Hash, role string) {
	if m.roles[h] == "" {
		m.roles[h] = role
	}
}

func (m *mutator) treeOf(commit tree.Hash) tree.Hash {
	h, _ := tree.ParseHash(string(m.things[commit].raw[len("tree ") : len("tree ")+40]))
	return h
}

// below gives roles to a tree and its contents.
func (m *mutator) below(h tree.Hash, dir string, file func(string) string, folder string) {
	m.own(h, folder)
	for _, e := range entriesOf(m.things[h].raw) {
		p := path.Join(dir, e.name)
		if e.mode == "40000" {
			m.below(e.hash, p, file, folder)
		} else {
			m.own(e.hash, file(p))
		}
	}
}

// journal gives roles to the events from the last one back.
func (m *mutator) journal(last tree.Hash, where string) {
	var chain []tree.Hash
	provenance := "provenance of a proposal"
	if _, message := split(m.things[last].raw); strings.Contains(message, "\nState: merged\n") {
		provenance = "provenance of a merge"
	}
	for h := last; !h.IsZero(); {
		if m.roles[h] != "" {
			return
		}
		head, message := split(m.things[h].raw)
		kind := trailerOf(message, "Assent-Event")
		m.own(h, "event "+kind+where)
		chain = append(chain, h)
		m.below(m.treeOf(h), "", func(file string) string {
			return map[string]string{"review.json": "review record", "review.sig": "review signature", "attestation.json": "attestation",
				"attestation.sig": "attestation signature", "provenance.json": provenance,
				"report.json": "report", "actor.json": "actor"}[file]
		}, "tree of an event")
		if trailerOf(message, "Assent-Sequence") == "1" {
			break
		}
		p := parentLine.FindStringSubmatch(head)
		h, _ = tree.ParseHash(p[1])
	}
	slices.Reverse(chain)
	m.chains = append(m.chains, chain)
}

// line gives roles to the folds of a line and to the journals in them.
func (m *mutator) line(at tree.Hash) {
	for !at.IsZero() {
		head, _ := split(m.things[at].raw)
		m.own(at, "fold")
		m.below(m.treeOf(at), "", func(string) string { return "record of a folded journal" }, "tree of a fold")
		parents := parentLine.FindAllStringSubmatch(head, -1)
		at = tree.Hash{}
		for _, p := range parents {
			h, _ := tree.ParseHash(p[1])
			_, message := split(m.things[h].raw)
			if strings.Contains(message, "\nAssent-Fold: ") {
				at = h
			} else {
				m.journal(h, ", folded")
			}
		}
	}
}
