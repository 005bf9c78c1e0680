package check

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// Checker judges one workspace as often as asked.
type Checker struct {
	*repo
	unsigned bool              // see Open
	accepted []string          // see Open
	refs     map[string]string // names of objects
	main     map[string]bool   // commits of main
	aside    []string          // commits off main's first-parent line that name the key that announced them, or that name a workspace to re-anchor
	genesis  string
	// judged is the date of the newest merge in force, or of the genesis; seen is the newest date of main since then.
	now, judged, seen time.Time
}

// Result is the outcome of a check.
type Result struct {
	InForce    string    `json:"in_force"`
	Workspace  string    `json:"workspace"`
	Main       string    `json:"main"`
	Commits    int       `json:"commits"` // since genesis
	Blocked    []Blocked `json:"blocked"`
	Merges     []Merge   `json:"merges"`
	Reanchored []string  `json:"reanchored"` // commits that gave the workspace a key which this reader accepts
	Past       []string  `json:"-"`          // every commit that was ever in force
}

// Blocked is a commit on main after the commit in force.
type Blocked struct {
	Commit     string `json:"commit"`
	Why        string `json:"why"`
	Break      bool   `json:"break"`      // a listed key announced it: later merges need critical approval
	Unverified bool   `json:"unverified"` // no rule refuses it, but it rests on facts that cannot be derived here
}

// Merge is a merge in force, with its approvers and the facts that were taken from its
// attestation.
type Merge struct {
	Commit   string   `json:"commit"`
	Proposal string   `json:"proposal"`
	Risk     string   `json:"risk"`
	Approved []string `json:"approved"`
	Attested string   `json:"attested_by"`
	Taken    []string `json:"taken_from_attestation"`
}

// answer is an answer of the gate, as an attestation repeats it.
type answer struct {
	Rule, Outcome, Reason string
	Children              []answer
}

// attestation is the statement that announces a merge.
type attestation struct {
	V                                                         int
	Proposal, From, Base, Head, Tree, Effective, Report, Risk string
	Verdict                                                   answer
	Observed                                                  []any
	At, Merged                                                time.Time
}

// The parts that a name can have in a change: none, that of a participant's owner or of another
// agent of theirs, or that of a participant.
const apart, beside, took = 0, 1, 2

// claim is one announcement of a merge, with the findings about it.
type claim struct {
	attestation
	p, after *policies      // the policies in force before, and those in the merge
	from, c  *commit        // the commit in force before, and the merge
	events   []*event       // of its proposal's journal before the announcement
	digest   string         // of the proposal's change
	made     []*commit      // on the proposal's branch
	unknown  bool           // a pusher is unknown
	learns   bool           // it changes a SOUL.md, which can hold a learned list
	earlier  bool           // an approval is of another version
	rare     error          // the kind of failure for forms that are not checked here
	asked    time.Time      // when approval was last asked for
	excluded map[string]int // by name
	latest   map[string]review
	out      Merge
}

// skew is how far the clocks of two machines may differ.
const skew = 5 * time.Minute

var (
	governed, tiers      = []string{"policies", "proposals", "skills", "soul", "workflows"}, []string{"", "low", "medium", "high", "critical"}
	ownFile              = regexp.MustCompile(`^proposals/\d{4}/\d\d/\d\d/([^/]+)\.md$`)
	signedForm           = regexp.MustCompile(`(?s)^(.*?\n)gpgsig ((?:[^\n]*\n )*[^\n]*\n)(.*)$`)
	approvedBy, decision = regexp.MustCompile(`^approved by [^;]+`), regexp.MustCompile(`^(approve|reject|request-changes)$`)
	// kinds are the lowest tiers of proposals by their kind; others are critical.
	kinds = map[string]int{"add": 1, "repair": 1, "revise": 1, "soul": 1, "promote": 1, "restore": 2, "undo": 2, "archive": 3, "deprecate": 3}
)

// Check judges main since genesis, oldest first.
func (v *Checker) Check(now time.Time) (res Result, err error) {
	v.now, v.refs, v.main = now, map[string]string{}, map[string]bool{}
	for line := range strings.Lines(v.git("for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/main", "refs/assent/pulls/", "refs/assent/closed/")) {
		id, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		v.refs[name] = id
	}
	var line []*commit
	for id := v.refs["refs/heads/main"]; id != "" && v.err == nil; {
		c := v.commit(id)
		line, v.main[id] = append(line, c), true
		if id = c.parent(); c.loose { // it hides nothing below it, and is never in force itself
			v.pass(errUnreadable)
		}
	}
	slices.Reverse(line)
	genesis := slices.IndexFunc(line, func(c *commit) bool { return c.trailers["assent-genesis"] != "" })
	if err := v.take(); err != nil || genesis < 0 {
		return res, fmt.Errorf("main: %w", cmp.Or(err, errors.New("no commit begins a workspace: none has the trailer Assent-Genesis")))
	}
	v.aside = slices.DeleteFunc(strings.Fields(v.git("rev-list", "-i", "-E", "--encoding=UTF-8", "--grep=^assent-(attested-by|reanchor): ",
		v.refs["refs/heads/main"])), func(id string) bool { return v.main[id] })
	from := line[genesis]
	v.genesis, v.judged = from.id, from.date
	res = Result{from.id, from.id, line[len(line)-1].id, len(line) - genesis, []Blocked{}, []Merge{}, []string{}, []string{from.id}}
	for i := genesis + 1; i < len(line) && v.err == nil; i++ {
		v.seen = slices.MaxFunc([]time.Time{v.seen, line[i-1].date}, time.Time.Compare)
		from = v.step(&res, from, line[i])
	}
	return res, v.take()
}

// step judges one commit and returns the commit in force after it.
func (v *Checker) step(res *Result, from, c *commit) *commit {
	// Reverting a commit that may be in force would bring older policies back without any
	// approval.
	broken := slices.ContainsFunc(res.Blocked, func(b Blocked) bool { return b.Break || b.Unverified })
	same := len(v.diff(from.tree, c.tree, governed...)) == 0
	if same && v.err == nil && broken {
		return from
	}
	b, m := Blocked{Commit: c.id}, (*Merge)(nil)
	why := v.take()
	if why == nil && !same {
		m, b.Break, why = v.judge(from, c, broken)
	}
	if at := v.bypassed(either(why == nil, c, from), c); at != "" && !b.Break {
		b.Break, why = true, fmt.Errorf("%w: it bypasses %.10s, which a listed key announced, or which re-anchors the workspace", errRefused, at)
	}
	b.Unverified = errors.Is(why, errUnverified)
	switch {
	case b.Unverified || errors.Is(why, errRefused) || errors.Is(why, errUnreadable):
		b.Why = strings.TrimPrefix(why.Error(), "refused: ")
		res.Blocked = append(res.Blocked, b)
		return from
	case why != nil:
		v.err = fmt.Errorf("judge %s: %w", c.id, why)
		return from
	case m != nil:
		v.judged, v.seen, res.Merges = c.date, time.Time{}, append(res.Merges, *m)
	case !same:
		v.judged, v.seen, res.Reanchored = c.date, time.Time{}, append(res.Reanchored, c.id)
	}
	res.InForce, res.Blocked, res.Past = c.id, []Blocked{}, append(res.Past, c.id)
	return c
}

// bypassed returns a commit that c reaches by another parent than the first: a merge that a listed
// key announced and whose proposal kept lacks, or a re-anchor whose key this reader accepts or a human
// has. Otherwise an old main that continues with the current one as another parent would pass as a fast-forward.
func (v *Checker) bypassed(kept, c *commit) string {
	brought := func() string { return v.git(append([]string{"rev-list", "^" + c.parents[0]}, c.parents[1:]...)...) }
	for _, id := range slices.DeleteFunc(slices.Clone(v.aside[:len(v.aside)*min(len(c.parents)/2, 1)]), func(id string) bool { return !strings.Contains(once(v.repo, "brought "+c.id, brought), id) }) {
		m, p := v.commit(id), v.policies(kept.tree)
		before, key, files := v.commit(m.parent()), m.trailers["assent-attested-by"], v.diff(kept.tree, m.tree, "proposals")
		added := func(p string) bool {
			return path.Base(p) == m.trailers["assent-proposal"]+".md" && files[p].old == entry{}
		}
		announced, anchor := slices.ContainsFunc(sorted(files), added) && p.byKey[key]+v.policies(before.tree).byKey[key] != "", v.reanchor(before, m)
		if !v.pass(errUnreadable) && (announced || anchor != "" && (slices.Contains(v.accepted, anchor) || p.has(p.byKey[anchor], human))) {
			return id
		}
	}
	v.pass(errUnreadable)
	return ""
}

// judge decides whether a commit deserves to be in force after from. counts reports whether a key
// that the policies before it list announced it: then a refusal is a break.
func (v *Checker) judge(from, c *commit, critical bool) (out *Merge, counts bool, why error) {
	if key := v.reanchor(from, c); key != "" {
		v.fail(errRefused, !slices.Contains(v.accepted, key), "it re-anchors the workspace under %s, which you did not accept by --reanchor", key)
		return nil, false, v.take()
	}
	// The merge that listed a key may have been voided before, so that keys on main count as well.
	main := v.commit(c.parent())
	v.pass(errUnreadable)
	p, onMain := v.policies(from.tree), v.policies(main.tree)
	listed := func(key string) bool { return p.byKey[key]+onMain.byKey[key] != "" }
	counts = listed(c.trailers["assent-attested-by"])
	why = fmt.Errorf("%w: no journal announces it as a merge (git fetch origin 'refs/assent/*:refs/assent/*' brings journals)", errRefused)
	for _, told := range v.announcements(c) {
		kept := map[string]int{} // by signer, and by attestation: in one journal a copy comes after its original
		for _, e := range told {
			m, data := &claim{p: p, from: from, c: c}, v.file(e.tree, "attestation.json")
			key := v.signer(data, v.file(e.tree, "attestation.sig"), "assent-attestation")
			m.out.Attested = p.byKey[key]
			about := json.Unmarshal(data, &m.attestation) == nil && m.Tree == c.tree && m.Base == c.parent()
			counts = counts || about && listed(key)
			by := fmt.Sprint(about, m.out.Attested)
			if kept[by] < maxClaims && kept[by+string(data)] == 0 {
				kept[by], kept[by+string(data)] = kept[by]+1, 1
				m.events = v.before(c.trailers["assent-proposal"], e)
				if v.merge(m, critical); v.err == nil {
					return &m.out, false, nil
				}
			}
			if err := v.take(); err != nil && !errors.Is(why, errUnverified) { // an unverified announcement outweighs the others
				why = err
			}
		}
	}
	return nil, counts && !c.date.After(v.now.Add(skew)), cmp.Or(v.take(), why)
}

// reanchor returns the key under which a commit continues the workspace, "" for other commits.
// Such a commit names the workspace, changes only roles.yaml, revokes the keys of humans and keeps
// earlier revocations. It is signed with the only key that a human has after it.
func (v *Checker) reanchor(from, c *commit) string {
	changed, old, after := v.diff(from.tree, c.tree, governed...), v.policies(from.tree), v.policies(c.tree)
	signed := signedForm.FindStringSubmatch(string(v.object(c.id, "commit")))
	left := slices.DeleteFunc(sorted(after.byKey), func(key string) bool { return !after.has(after.byKey[key], human) })
	if signed == nil || changed["policies/roles.yaml"] == (change{}) || len(changed) != 1 || len(left) != 1 || len(c.parents) != 1 || c.trailers["assent-reanchor"] != v.genesis {
		return ""
	}
	key := v.signer([]byte(signed[1]+signed[3]), []byte(strings.ReplaceAll(signed[2], "\n ", "\n")), "git")
	lost := slices.ContainsFunc(slices.Concat(sorted(old.byKey), sorted(old.revoked)), func(k string) bool {
		return k != key && (old.byKey[k] == "" || old.has(old.byKey[k], human)) && after.revoked[k] != cmp.Or(old.revoked[k], old.byKey[k])
	})
	return either(key == left[0] && old.revoked[key] == "" && !lost, key, "")
}

// merge checks a commit against one announcement of it. A refused commit is unverified only if it
// has the approvals that can be derived, or if a human or a witness signed the attestation.
// Otherwise any writer could stop the walk for good with such an announcement.
func (v *Checker) merge(m *claim, critical bool) {
	vouched := (m.p.has(m.out.Attested, human) || m.p.has(m.out.Attested, witness)) && !m.p.ids[m.out.Attested].expired(m.At)
	early, late := m.At.Before(v.judged.Add(-skew)), m.At.After(v.now.Add(skew))
	reported := slices.ContainsFunc(m.events, func(e *event) bool {
		return e.kind == "report" && e.trailers["Digest"] == m.Report && digest(v.file(e.tree, "report.json")) == m.Report
	})
	v.fail(errRefused, m.V != 1 || m.Proposal != m.c.trailers["assent-proposal"], "its attestation is unknown, or that of another proposal")
	m.rare = either(vouched, errUnverified, errRefused)
	v.fail(m.rare, !m.Merged.IsZero() || len(m.Observed) > 0, "it rests on what a service showed, which cannot be checked here")
	v.fail(errRefused, !slices.Equal(m.c.parents, []string{m.Base, m.Head}), "its parents are not those that were judged")
	v.fail(errRefused, m.Tree != m.c.tree, "its tree is not the one that was judged")
	v.fail(errRefused, m.From != m.from.id, "it was judged against %.10s, but %.10s was in force", m.From, m.from.id)
	v.fail(errRefused, early || late || m.At.Sub(m.c.date).Abs() > skew, "it claims to be of %s, which cannot be", m.At.UTC().Format(time.RFC3339))
	v.fail(errUnreadable, len(m.events) == 0, "its journal cannot be read from its opening to the announcement")
	v.fail(errRefused, !reported, "the report that its attestation names is not in the journal")
	v.content(m)
	v.fail(errRefused, m.p.Attestations == "signed" && !(vouched && m.p.byKey[m.c.trailers["assent-attested-by"]] == m.out.Attested), "no human or witness, named by the commit, signed its attestation")
	m.out.Commit, m.out.Proposal, m.out.Attested = m.c.id, m.Proposal, either(vouched, m.out.Attested, "")
	v.hold(m, critical)
	if v.err == nil && v.unsigned && !vouched {
		v.hold(m, true)
		vouched = !v.pass(errRefused)
	}
	v.fail(errUnverified, !vouched, "no human or witness signed for what cannot be derived here: validation, scan, risk by content")
}

// content checks that a merge takes the files that its proposal changes from the proposal, and all
// others from main. It walks only the changed files: other content of main decides nothing.
func (v *Checker) content(m *claim) {
	base, made := v.branch(m.rare, m.Base, m.Head)
	into, head := v.commit(m.Base), v.commit(m.Head)
	proposed, got := v.diff(base.tree, head.tree), v.diff(into.tree, m.c.tree)
	for p, c := range proposed {
		m.learns = m.learns || isSoul(p)
		ours, now := v.find(into.tree, p).file(), v.find(m.c.tree, p).file()
		same := now == c.new
		if ours != c.old && ours != c.new { // both sides changed it: learned lists may be joined
			same = isSoul(p) && v.stripped(base.tree, p, c.old) == v.stripped(head.tree, p, c.new) && v.stripped(into.tree, p, ours) == v.stripped(m.c.tree, p, now)
		}
		v.fail(errRefused, !same, "it has %s neither as the proposal does nor as main did", p)
	}
	for p := range got {
		v.fail(errRefused, proposed[p] == change{}, "it changes %s, which its proposal does not", p)
	}
	own := v.footprint(base.tree, head.tree)
	for _, line := range v.footprint(m.from.tree, m.c.tree, governed...) {
		v.fail(errRefused, !slices.Contains(own, line), "it brings changes that its proposal does not make")
	}
	m.digest, m.made = digest([]byte(strings.Join(own, ""))), made
}

// branch finds where a head left a commit of main, and the commits since then. rare is the kind of failure if it left main at
// several.
func (v *Checker) branch(rare error, into, head string) (base *commit, made []*commit) {
	bases := strings.Split(once(v.repo, "base "+into+head, func() string { return v.git("rev-parse", into+"..."+head) })+"\n^", "\n^")[1:]
	v.fail(errRefused, len(bases) < 2, "its branch has no history in common with main")
	v.fail(rare, len(bases) > 2, "its branch left main in several places")
	for id := range strings.FieldsSeq(v.git("rev-list", head, "^"+into)) {
		made = append(made, v.commit(id))
	}
	return v.commit(bases[0]), made
}

// hold checks that a change has the required approvals, and that no one whose review counts
// objected.
func (v *Checker) hold(m *claim, critical bool) {
	least, agent := v.floor(m)
	v.participants(m, agent)
	v.hear(m)
	m.after = v.policies(m.c.tree)
	needs := m.needs(least, critical)
	v.fail(errRefused, m.At.Sub(m.asked) > m.p.expiry, "the request for approval had expired")
	v.fail(errRefused, m.Verdict.Outcome != "allowed" || slices.Index(tiers, m.Risk) < 1, "its own attestation says: %s", m.Verdict.Outcome)
	checked := slices.ContainsFunc(m.Verdict.Children, func(a answer) bool { return a.Rule == "checks" && a.Outcome == "allowed" })
	v.fail(m.rare, len(m.p.Checks) > 0 && !checked, "its attestation does not say that the required checks passed")
	for _, name := range sorted(m.latest) {
		asked := m.p.has(name, lead) || slices.ContainsFunc(needs, func(n need) bool { return m.p.has(name, n.Role) })
		v.fail(errRefused, m.latest[name].Decision != "approve" && (m.p.has(name, human) || m.excluded[name] == apart && asked), "%s objects: %s", name, m.latest[name].Decision)
	}
	maps.DeleteFunc(m.latest, func(_ string, r review) bool { return r.Decision != "approve" })
	for _, n := range needs {
		who, enough := m.approvals(n)
		v.fail(errUnverified, !enough && m.earlier, "whether an approval of an earlier version is one of this cannot be derived: a learned list differs")
		v.fail(errRefused, !enough, "risk %s needs %d of %s, and %d approve", m.out.Risk, n.Count, n.Role, len(who))
		m.out.Approved = append(m.out.Approved, who...)
	}
	m.out.Approved = slices.Compact(slices.Sorted(slices.Values(m.out.Approved)))
}

// needs returns the approvals that a change requires: by its tier, for a pusher that is unknown,
// and by the conditions and modes that the attestation reports.
func (m *claim) needs(least int, critical bool) []need {
	m.out.Risk = tiers[max(least, slices.Index(tiers, m.Risk), either(critical, len(tiers)-1, 0))]
	m.out.Taken = []string{"validation, scan, tests, required checks and limits refuse nothing, and no earlier rejection is left out",
		fmt.Sprintf("risk=%s, where paths and kind show at least %s", m.Risk, tiers[least])}
	if m.Effective != m.digest {
		m.out.Taken = append(m.out.Taken, "effective="+m.Effective+", for approvals of this very head: a learned list is not as the engine would write it")
	}
	needs := slices.Clone(m.p.Tiers[m.out.Risk])
	if autonomous := slices.Contains(append(slices.Collect(maps.Values(m.p.Kinds)), m.p.Default), "autonomous"); !autonomous && len(needs) == 0 {
		needs = append(needs, need{lead, 1})
	}
	if m.unknown {
		needs = append(needs, need{human, 2})
	}
	for _, part := range m.Verdict.Children {
		for _, approval := range part.Children {
			if role, is := strings.CutPrefix(approval.Rule, "approval-"); is {
				needs = append(needs, need{role, 1 + strings.Count(approvedBy.FindString(approval.Reason), ",")})
				m.out.Taken = append(m.out.Taken, approval.Rule+" is met, whatever conditions and modes asked for: "+approval.Reason)
			}
		}
	}
	return needs
}

// floor is the lowest tier that a change can be in, by its paths and its kind alone, and the agent that it names.
func (v *Checker) floor(m *claim) (tier int, agent string) {
	var proposed struct{ Kind, Agent string }
	for p, c := range v.diff(m.from.tree, m.c.tree, governed...) {
		top, rest, _ := strings.Cut(p, "/")
		_, file, nested := strings.Cut(rest, "/")
		switch own := ownFile.FindStringSubmatch(p); {
		case own != nil && own[1] == m.Proposal && c.new.isFile() && c.old.id == "":
			_ = yaml.Unmarshal(front(v.file(m.c.tree, p)), &proposed)
		case top == "skills", isSoul(p) && c.new.id != "" && c.old.id != "":
		case top == "soul" && nested && !strings.EqualFold(file, "SOUL.md") && !strings.EqualFold(file, "IDENTITY.md"):
			tier = max(tier, 3)
		default:
			tier = 4
		}
	}
	v.fail(errRefused, proposed.Kind == "", "it does not add the file of its proposal, which merges once")
	into := v.commit(m.Base).tree
	others := len(v.diff(into, m.c.tree)) - len(v.diff(into, m.c.tree, governed...)) // paths that are not governed
	return max(tier, 4*min(others, 1), cmp.Or(kinds[proposed.Kind], 4)), proposed.Agent
}

// participants names all who proposed, wrote or pushed a change, their owners, and the agents of
// those owners. Any writer can claim that the engine pushed. The claim counts for the pushes that
// the engine makes: entries of learned lists, and the same change again upon a later main.
func (v *Checker) participants(m *claim, agent string) {
	head, all, recorded := "", []actor{{Name: agent}}, false
	for _, e := range m.events {
		engine, _ := strconv.ParseBool(e.trailers["Engine"])
		engine = engine && e.kind == "pushed"
		if !engine && slices.Contains([]string{"opened", "pushed", "reopened"}, e.kind) && e.at.After(m.asked) {
			m.asked = e.at
		}
		if e.kind != "opened" && e.kind != "pushed" {
			continue
		}
		old, by := head, v.actors(e)
		head = e.trailers["Head"]
		recorded = recorded || head == m.Head
		if engine {
			clean := v.err == nil
			same := v.effect(m, old) == v.effect(m, head)
			// The engine pushed no commit that is missing, unreadable, or of another history.
			if missing := clean && (v.pass(errUnreadable) || v.pass(errRefused)); same && !missing {
				continue
			}
			by = []actor{{}}
		}
		all, m.unknown = append(all, by...), m.unknown || slices.Contains(by, actor{})
	}
	m.unknown = m.unknown || !recorded
	for _, c := range m.made {
		all = append(all, actor{Email: c.author}, actor{Email: c.committer})
	}
	m.excluded = map[string]int{}
	for _, name := range m.p.possible(all) {
		m.excluded[name] = took
		owner := cmp.Or(m.p.ids[name].Owner, name)
		m.excluded[owner] = max(m.excluded[owner], beside)
	}
	for name, id := range m.p.ids {
		m.excluded[name] = max(m.excluded[name], min(m.excluded[id.Owner], beside))
	}
}

// hear keeps the newest valid decision of each person. An approval counts if its version makes the
// same change, or if it is of this very head and learned lists differ from those that the engine
// writes.
func (v *Checker) hear(m *claim) {
	m.latest = map[string]review{}
	// A merge is dated by a clock that can be set back, so approvers must not have expired at the newest date of main or of the
	// proposal either. Such a date leaves at least one human.
	late := slices.MaxFunc([]time.Time{m.At.Add(skew), m.asked, v.seen}, time.Time.Compare).Add(-skew)
	lasts := slices.ContainsFunc(m.p.Roles[human], func(name string) bool { return !m.p.ids[name].expired(late) })
	for _, e := range m.events {
		r := v.review(m.Proposal, e)
		name := m.p.byKey[r.key]
		same := r.Tree == m.digest || r.Head == m.Head && (r.Decision != "approve" || r.Tree == m.Effective)
		counts := r.Decision == "revoke" || same && decision.MatchString(r.Decision) && !m.p.ids[name].expired(m.At) && !(lasts && r.Decision == "approve" && m.p.ids[name].expired(late))
		m.earlier = m.earlier || m.learns && !same && r.Decision == "approve" && name != ""
		before := m.latest[name]
		newer := r.At.After(before.At) || r.At.Equal(before.At) && before.Decision != "revoke"
		if name != "" && counts && newer && !r.At.After(m.At.Add(skew)) {
			m.latest[name] = r
		}
	}
	maps.DeleteFunc(m.latest, func(_ string, r review) bool {
		return r.Decision == "revoke" || r.Decision == "approve" && m.At.Sub(r.At) > m.p.expiry
	})
}

// approvals returns whose approvals count for a role, and whether they are enough. Participants do not count,
// except a sole human. The number of humans required is at most the number of humans who did not take part.
//
// A human whose every key was revoked is no longer asked. One whose every key the change revokes does not count as available, if two others remain.
func (m *claim) approvals(n need) (who []string, enough bool) {
	humans := slices.DeleteFunc(slices.Clone(m.p.Roles[human]), func(name string) bool { return m.p.ids[name].expired(m.At) || m.p.lost(name, m.p) })
	left := slices.DeleteFunc(slices.Clone(humans), func(name string) bool { return m.p.lost(name, m.after) })
	left = either(len(left) < 2, humans, left)
	for _, name := range sorted(m.latest) {
		part := m.excluded[name]
		sole := len(humans) == 1 && (humans[0] == name || part != took && humans[0] == m.p.ids[name].Owner)
		if m.p.has(name, n.Role) && (part == apart || sole) {
			who = append(who, name)
		}
	}
	left = slices.DeleteFunc(left, func(name string) bool { return m.latest[name].Decision != "" && m.excluded[name] != apart })
	return who, len(who) >= either(n.Role == human, min(n.Count, max(len(left), 1)), n.Count)
}
