package check

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// answer is one of the gate's, as an attestation repeats it.
type answer struct {
	Rule, Outcome, Reason string
	Children              []answer
}

// attestation is what a merge was announced with.
type attestation struct {
	V                                                                  int
	Proposal, From, Base, Head, Tree, Effective, Report, Risk, Service string
	Verdict                                                            answer
	Observed                                                           []any
	At, Merged                                                         time.Time
}

// Merge is a merge that is in force, and on whose word.
type Merge struct {
	Commit   string   `json:"commit"`
	Proposal string   `json:"proposal"`
	Risk     string   `json:"risk"`
	Needs    []string `json:"needs"`
	Approved []string `json:"approved"`
	Signer   string   `json:"attested_by"`
	Taken    []string `json:"taken_from_attestation"`
}

// matter is one merge that is judged by one announcement.
type matter struct {
	attestation
	p              *policies
	from, c        *commit
	id             string
	events         []*event // before the announcement
	record         *record
	critical       bool // it needs what a critical change needs
	paths          map[string]change
	digest, signer string
	claimed        string            // the digest that the attestation names for a change of learned lists
	part           []actor           // who proposed, wrote and pushed
	unknown        bool              // a pusher is unknown
	excluded       map[string]string // participants and their owners, each with the owner that links them
	latest         map[string]review // the decision that counts of each, by name
	proposed       struct{ Kind, Agent string }
	out            Merge
}

var ownFile = regexp.MustCompile(`^proposals/\d{4}/\d\d/\d\d/([^/]+)\.md$`)

// judge decides whether a commit deserves to be in force after from. counts reports whether a key
// that the policies before it list announced it: then a refusal is a break.
func (v *Checker) judge(from, c *commit, critical bool) (m *Merge, counts bool, why error) {
	if key := v.reanchor(from, c); key != "" {
		v.fail(errRefused, !slices.Contains(v.accepted, key), "it re-anchors the workspace under %s, which you did not accept by --reanchor", key)
		return nil, false, v.take()
	}
	p, said, brought := v.policies(from.tree), c.trailer("Assent-Proposal"), ""
	for path, d := range v.diff(from.tree, c.tree, "proposals") {
		if own := ownFile.FindStringSubmatch(path); own != nil && d.old.id == "" {
			brought = map[bool]string{true: own[1], false: "-"}[brought == ""] // of several none is meant
		}
	}
	why = cmp.Or(v.take(), fmt.Errorf("%w: no proposal stands behind it: it was committed past the gate", errRefused))
	// The merge that listed a key may have been voided before, so that keys on main count as well.
	onMain := v.policies(v.commit(c.parent()).tree)
	counts = p.byKey(c.trailer("Assent-Attested-By"))+onMain.byKey(c.trailer("Assent-Attested-By")) != ""
	var claims [2][]*matter // those that a listed key signed, and the others
	for _, id := range slices.Compact([]string{said, brought}) {
		if !proposalID.MatchString(id) {
			continue
		}
		parts, damage := v.journal(id)
		why = cmp.Or(v.take(), damage, fmt.Errorf("%w: the journal of %s, as far as it is here, does not announce it", errRefused, id))
		for _, events := range parts {
			for i, e := range events {
				a := e.attestation
				if e.kind != "merging" || e.fields["Commit"] != c.id || id != said && a.Merged.IsZero() {
					continue
				}
				m, of := &matter{attestation: a, p: p, from: from, c: c, id: id, events: events[:i]}, 1
				m.critical, m.signer = critical, p.byKey(e.signer)
				if a.Proposal == id && a.Tree == c.tree && strings.HasPrefix(a.Base+" "+a.Head, strings.Join(c.parents, " ")) {
					counts = counts || m.signer+onMain.byKey(e.signer) != ""
					of = map[bool]int{true: 1}[m.signer == ""]
				}
				if len(claims[of]) < 8 {
					claims[of] = append(claims[of], m)
				}
			}
		}
	}
	for _, m := range slices.Concat(claims[0], claims[1]) {
		m.record = v.replay(m.id, m.events)
		v.merge(m)
		if why = v.take(); why == nil {
			return &m.out, false, nil
		}
	}
	return nil, counts && !c.date.After(v.now.Add(skew)), why
}

// reanchor returns the key under which a commit has the workspace go on, nothing for other commits. It names the
// workspace, changes roles.yaml alone, and is signed with the only key that a human has after it.
func (v *Checker) reanchor(from, c *commit) string {
	changed, after := v.diff(from.tree, c.tree, governed...), v.policies(c.tree)
	_, roles := changed["policies/roles.yaml"]
	signed := signedForm.FindStringSubmatch(string(v.object(c.id, "commit")))
	var left []string
	for _, name := range after.members[human] {
		left = append(left, after.ids[name].Keys...)
	}
	if signed == nil || !roles || len(changed) != 1 || len(left) != 1 || len(c.parents) != 1 || c.trailer("Assent-Reanchor") != v.genesis {
		return ""
	}
	key := v.signer([]byte(signed[1]+signed[3]), []byte(strings.ReplaceAll(signed[2], "\n ", "\n")), "git")
	return map[bool]string{true: key}[key == fingerprint(left[0])]
}

// merge holds a commit against one announcement of it.
func (v *Checker) merge(m *matter) {
	early := m.At.Before(v.judged.Add(-skew))
	vouched := m.signer != "" && (m.p.has(m.signer, human) || m.p.has(m.signer, witness)) && !m.p.expired(m.signer, m.At)
	v.fail(errRefused, m.V != 1 || m.Proposal != m.id, "its attestation cannot be read, or is that of another proposal")
	v.fail(errUnverified, !m.Merged.IsZero() || len(m.Observed) > 0, "it rests on what a service showed, which cannot be checked here")
	v.fail(errRefused, !slices.Equal(m.c.parents, []string{m.Base, m.Head}), "its parents are not those that were judged")
	v.fail(errRefused, m.Tree != m.c.tree, "its tree is not the one that was judged")
	v.fail(errRefused, m.From != m.from.id, "it was judged against %.10s, but %.10s was in force", m.From, m.from.id)
	v.fail(errRefused, early || m.At.After(v.now.Add(skew)) || m.At.Sub(m.c.date).Abs() > skew,
		"it claims to be of %s, which cannot be", m.At.UTC().Format(time.RFC3339))
	v.fail(errRefused, digest(m.record.reports[m.Report]) != m.Report, "the report that its attestation names is not in the journal")
	v.content(m)
	v.fail(errUnverified, !vouched && !v.unsigned,
		"no human or witness signed for what cannot be derived here: validation, scan, risk by content")
	m.out = Merge{Commit: m.c.id, Proposal: m.id}
	if m.out.Signer = m.signer; !vouched {
		m.critical, m.out.Signer = true, ""
	}
	if v.err == nil {
		v.hold(m)
	}
}

// content checks that the tree is the one that git computes and brings only what was proposed. It finds out
// what the merge does, and who took part.
func (v *Checker) content(m *matter) {
	base, made := v.branch(m.Base, m.Head)
	into, head := v.commit(m.Base), v.commit(m.Head)
	ours, learned, appended := v.diff(base.tree, into.tree), false, map[string]bool{}
	for p, c := range v.diff(base.tree, head.tree) {
		o, both := ours[p]
		learned = learned || strings.HasPrefix(p, "soul/")
		appended[p] = both && o.new != c.new && v.appended(p, base.tree, into.tree, head.tree, m.c.tree)
		v.fail(errRefused, both && o.new != c.new && !appended[p], "both sides changed %s", p)
	}
	if v.err == nil {
		merged := once(v.repo, "merge "+into.id+" "+head.id, func() string {
			return v.git("merge-tree", "--write-tree", "--no-messages", into.id, head.id)
		})
		merged, conflicts, _ := strings.Cut(merged, "\n")
		other := conflicts != "" && !slices.Contains(slices.Collect(maps.Values(appended)), true)
		for p := range v.diff(merged, m.c.tree) {
			other = other || !appended[p]
		}
		v.fail(errRefused, other, "its tree is not what git's merge of %.10s gives", m.Head)
	}
	own := v.footprint(base.tree, head.tree)
	for _, line := range v.footprint(m.from.tree, m.c.tree, governed...) {
		_, covered := slices.BinarySearch(own, line)
		v.fail(errRefused, !covered && (base.tree != m.from.tree || head.tree != m.c.tree), "it brings changes that its proposal does not make")
	}
	m.digest = digest([]byte(strings.Join(own, "")))
	if m.claimed = m.digest; learned {
		m.claimed = m.Effective
	}
	m.paths = v.diff(m.from.tree, m.c.tree, governed...)
	for p, c := range v.diff(into.tree, m.c.tree) {
		if top, _, _ := strings.Cut(p, "/"); !slices.Contains(governed, top) {
			m.paths[p] = c
		}
	}
	engines := map[string]bool{}
	m.unknown = !slices.ContainsFunc(m.record.pushes, func(p push) bool { return p.new == m.Head })
	for _, p := range m.record.pushes {
		if p.engine { // anybody can claim that: what it changed shows it
			old, now := v.commit(p.old), v.commit(p.new)
			engines[p.new] = slices.Equal(now.parents, []string{p.old}) && len(v.footprint(old.tree, now.tree)) == 0
			if engines[p.new] || v.effect(m.Base, p.old) == v.effect(m.Base, p.new) {
				continue
			}
			p.by = []actor{{}}
		}
		m.part, m.unknown = append(m.part, p.by...), m.unknown || slices.Contains(p.by, actor{})
	}
	for _, c := range made {
		if !engines[c.id] {
			m.part = append(m.part, actor{Email: c.author}, actor{Email: c.committer})
		}
	}
}

// appended tells whether both sides only added to the end of a soul, and the merged one holds what was added into
// main and then what the branch added, blank lines aside.
func (v *Checker) appended(file string, trees ...string) bool {
	var texts [][]string
	for _, tree := range trees {
		texts = append(texts, strings.FieldsFunc(string(v.file(tree, file)), func(r rune) bool { return r == '\n' }))
	}
	return strings.HasPrefix(file, "soul/") && joins(texts[0], texts[1], texts[2], texts[3])
}

func joins(was, ours, theirs, merged []string) bool {
	n := len(was)
	if len(ours) <= n || len(theirs) <= n || !slices.Equal(ours[:n], was) || !slices.Equal(theirs[:n], was) {
		return false
	}
	if heading := "## Learned Capabilities"; ours[n] == heading && theirs[n] == heading {
		n++
	}
	return slices.Equal(merged, slices.Concat(ours, theirs[n:]))
}

// effect is the digest of what a head changes against where it left a commit.
func (v *Checker) effect(into, head string) string {
	base, _ := v.branch(into, head)
	return digest([]byte(strings.Join(v.footprint(base.tree, v.commit(head).tree), "")))
}

// branch finds where a head left a commit of main, and the commits since then.
func (v *Checker) branch(into, head string) (base *commit, made []*commit) {
	limit, found := v.reach[into]
	seen, met := map[string]bool{}, []string{}
	for todo := []string{head}; len(todo) > 0 && v.err == nil; {
		id := todo[0]
		todo = todo[1:]
		switch place, on := v.reach[id]; {
		case seen[id]:
		case on && place <= limit:
			met = append(met, id)
		default:
			made = append(made, v.commit(id))
			todo = append(todo, made[len(made)-1].parents...)
		}
		seen[id] = true
		v.fail(errUnreadable, len(made) > maxCommits, "the branch has more than %d commits", maxCommits)
	}
	v.fail(errRefused, !found || len(met) == 0, "its branch has no history in common with main")
	if v.err != nil {
		return &commit{}, nil
	}
	newest := slices.MaxFunc(met, func(a, b string) int { return v.reach[a] - v.reach[b] })
	// A commit of main is above all that reaches less.
	v.fail(errUnverified, len(met) > 1 && v.line[v.reach[newest]].id != newest, "its branch left main in several places")
	return v.commit(newest), made
}

var approvedBy = regexp.MustCompile(`^approved by ([^;]+)`)

// hold asks whether everybody who must approve a change had, and nobody objected.
func (v *Checker) hold(m *matter) {
	needs := v.needs(m)
	m.exclude()
	v.hear(m)
	v.fail(errRefused, m.At.Sub(m.record.asked) > m.p.expiry, "the request for approval had expired")
	v.fail(errRefused, m.Verdict.Outcome != "allowed" || slices.Index(tiers, m.Risk) < 1,
		"its own attestation says: risk %s, %s", m.Risk, m.Verdict.Outcome)
	for _, name := range sorted(m.latest) {
		_, excluded := m.excluded[name]
		asked := m.p.has(name, lead) || slices.ContainsFunc(needs, func(n need) bool { return m.p.has(name, n.Role) })
		objects := m.latest[name].Decision != "approve" && (m.p.has(name, human) || !excluded && asked)
		v.fail(errRefused, objects, "%s objects: %s", name, m.latest[name].Decision)
	}
	for _, n := range needs {
		who, enough := m.approvals(n)
		v.fail(errRefused, !enough, "risk %s needs %d of %s, and %d approve", m.out.Risk, n.Count, n.Role, len(who))
		m.out.Needs, m.out.Approved = append(m.out.Needs, fmt.Sprintf("%d %s", n.Count, n.Role)), append(m.out.Approved, who...)
	}
	slices.Sort(m.out.Approved)
	m.out.Approved = slices.Compact(m.out.Approved)
}

// needs are the approvals that a change asks for: by its tier, which is never below what its paths show, by
// what nobody can see, and by what the attestation says that rules asked for which are conditions.
func (v *Checker) needs(m *matter) []need {
	least, why := v.floor(m)
	tier := max(least, slices.Index(tiers, m.Risk))
	if m.out.Risk = tiers[tier]; m.critical {
		m.out.Risk = "critical"
	}
	taken := []string{"validation, scan, tests and limits refuse nothing",
		fmt.Sprintf("risk=%s; at least %s, because %s", m.Risk, tiers[least], why)}
	if m.claimed != m.digest {
		taken = append(taken, "effective="+m.claimed+", for approvals of this very head: a learned list is not as the engine would write it")
	}
	needs := slices.Clone(m.p.Tiers[m.out.Risk])
	if m.unknown || m.record.pushes[0].by[0] == (actor{}) {
		needs = append(needs, need{human, 2})
	}
	for _, part := range m.Verdict.Children {
		for _, approval := range part.Children {
			if role, is := strings.CutPrefix(approval.Rule, "approval-"); is {
				n := need{role, 1}
				if by := approvedBy.FindStringSubmatch(approval.Reason); by != nil {
					n.Count += strings.Count(by[1], ",")
				}
				needs = append(needs, n)
				taken = append(taken, fmt.Sprintf("%d of %s approve, whatever conditions asked for", n.Count, role))
			}
		}
	}
	m.out.Taken = taken
	return needs
}

// floor is the lowest tier that a change can be in, by its paths and its kind alone.
func (v *Checker) floor(m *matter) (tier int, why string) {
	raise := func(to int, because string) {
		if to > tier {
			tier, why = to, because
		}
	}
	raise(1, "of no path")
	for _, p := range sorted(m.paths) {
		c := m.paths[p]
		top, rest, _ := strings.Cut(p, "/")
		agent, file, nested := strings.Cut(rest, "/")
		own := ownFile.FindStringSubmatch(p)
		switch {
		case own != nil && own[1] == m.Proposal && c.new.isFile():
			if !usable(front(v.file(m.c.tree, p)), false, &m.proposed) {
				m.proposed.Kind = ""
			}
		case top == "soul" && nested && file == "SOUL.md" && c.new.id != "" && c.old.id != "":
		case top == "soul" && nested && !strings.EqualFold(file, "SOUL.md") && !strings.EqualFold(file, "IDENTITY.md"):
			raise(3, p+" shapes how "+agent+" behaves")
		case top != "skills":
			raise(4, p+" decides how proposals are judged, or is outside of what they may change")
		}
	}
	switch m.proposed.Kind {
	case "add", "repair", "revise", "soul", "promote":
	case "archive", "deprecate":
		raise(3, "it takes a capability away")
	case "restore", "undo":
		raise(2, "it brings back what was decided against")
	default:
		raise(4, fmt.Sprintf("it is of the kind %q", m.proposed.Kind))
	}
	return tier, why
}

// skew is how far the clocks of two machines may differ.
const skew = 5 * time.Minute

var decision = regexp.MustCompile(`^(approve|reject|request-changes)$`)

// exclude names all who proposed, wrote or pushed a change, those behind them, and what else is theirs.
func (m *matter) exclude() {
	m.excluded = map[string]string{}
	var behind []string
	for _, name := range m.p.possible(append(m.part, actor{Name: m.proposed.Agent})) {
		m.excluded[name] = ""
		behind = append(behind, m.p.ids[name].Owner)
	}
	for _, name := range m.p.possible(m.record.sessions) {
		behind = append(behind, cmp.Or(m.p.ids[name].Owner, name))
	}
	for _, name := range behind {
		if _, known := m.excluded[name]; !known && name != "" {
			m.excluded[name] = name
		}
	}
	for name, id := range m.p.ids {
		_, theirs := m.excluded[id.Owner]
		if _, known := m.excluded[name]; theirs && !known {
			m.excluded[name] = id.Owner
		}
	}
}

// early reports whether a review is of the same change before the engine wrote its entries. The
// attestation says that no list deviates now; the reviewed head must not have touched any.
func (v *Checker) early(m *matter, r review) bool {
	if v.err != nil || m.Effective != m.digest || r.Head == m.Head {
		return false
	}
	same := v.effect(m.Base, r.Head) == m.digest
	base, _ := v.branch(m.Base, r.Head)
	for p := range v.diff(base.tree, v.commit(r.Head).tree) {
		same = same && !strings.HasPrefix(p, "soul/")
	}
	if errors.Is(v.err, errRefused) || errors.Is(v.err, errUnreadable) { // a head that nobody can read counts for nothing
		_ = v.take()
		return false
	}
	return same && v.err == nil
}

// hear keeps the newest valid decision of each person, unless they revoked it later. A digest
// that is only claimed counts for the head that the reviewer saw.
func (v *Checker) hear(m *matter) {
	m.latest = map[string]review{}
	back := map[string]time.Time{}
	valid := slices.DeleteFunc(slices.Clone(m.record.reviews), func(r review) bool {
		return m.p.byKey(r.key) == "" || r.At.After(m.At.Add(skew))
	})
	for _, r := range valid {
		if name := m.p.byKey(r.key); r.Decision == "revoke" && r.At.After(back[name]) {
			back[name] = r.At
		}
	}
	for _, r := range valid {
		name := m.p.byKey(r.key)
		same := r.Tree == m.digest || r.Head == m.Head && (r.Decision != "approve" || r.Tree == m.claimed) || v.early(m, r)
		counts := same && decision.MatchString(r.Decision) && !m.p.expired(name, m.At)
		if counts && r.At.After(back[name]) && !r.At.Before(m.latest[name].At) {
			m.latest[name] = r
		}
	}
	maps.DeleteFunc(m.latest, func(_ string, r review) bool { return r.Decision == "approve" && m.At.Sub(r.At) > m.p.expiry })
}

// approvals returns whose approvals count for a role, and whether they are enough. Participants do not count,
// except a sole human. The number of humans required is at most the number of humans who did not take part.
func (m *matter) approvals(n need) (who []string, enough bool) {
	humans := slices.DeleteFunc(slices.Clone(m.p.members[human]), func(name string) bool { return m.p.expired(name, m.At) })
	free := len(humans)
	for _, name := range sorted(m.latest) {
		through, excluded := m.excluded[name]
		sole := len(humans) == 1 && (humans[0] == name || humans[0] == through)
		approves := m.latest[name].Decision == "approve"
		if approves && m.p.has(name, n.Role) && (!excluded || sole) {
			who = append(who, name)
		}
		if approves && excluded && slices.Contains(humans, name) {
			free--
		}
	}
	if n.Role == human {
		n.Count = min(n.Count, max(free, 1))
	}
	return who, len(who) >= n.Count
}
