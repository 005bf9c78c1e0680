package check

import (
	"bytes"
	"cmp"
	"crypto/sha1" //nolint:gosec // Lines of folds spread names by it.
	"encoding/json"
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

// announcements finds the events by which the journal of a commit's proposal announces it, at its ref and where it was
// folded. Whoever can push can put anything upon a journal, so that what is no event there hides nothing below it.
func (v *Checker) announcements(c *commit) (out [][]*event) {
	id := c.trailers["assent-proposal"]
	heads, sum := []string{v.refs["refs/assent/pulls/"+id]}, fmt.Sprintf("%x", sha1.Sum([]byte(id))) //nolint:gosec // see the import
	for _, ref := range sorted(v.refs) {
		var folded struct {
			V          int
			Name, Head string
		}
		at, line := path.Join(sum[:1], sum[1:2], sum[2:3], id), v.commit(v.refs[ref])
		written := strings.HasPrefix(ref, "refs/assent/closed/") && line.trailers["assent-fold"] == "1" && v.find(line.tree, at).mode == "100644"
		if written && json.Unmarshal(v.file(line.tree, at), &folded) == nil && folded.V == 1 && folded.Name == id {
			heads = append(heads, folded.Head)
		}
		v.pass(errUnreadable)
	}
	for _, at := range heads {
		var told []*event
		for begun, skipped, n := false, 0, 0; at != "" && skipped <= maxSkipped && n <= maxEvents; at, n = v.commit(at).parent(), n+1 {
			e := v.event(at)
			if v.pass(errUnreadable) {
				if skipped++; begun {
					break // below the first event are commits of the proposal
				}
				continue
			}
			begun, skipped = begun || e.sequence == 1, 0
			if e.kind == "merging" && e.trailers["Commit"] == c.id {
				told = append(told, e)
			}
		}
		v.pass(errUnreadable)
		slices.Reverse(told)
		out = append(out, told)
	}
	return out
}

// event is one event of a proposal's journal.
type event struct {
	*commit
	kind     string
	sequence int
	at       time.Time
}

// naming are the fields of events that must name a commit.
var naming = map[string][]string{"opened": {"Head"}, "pushed": {"Head"}, "review": {"Head"}, "report": {"Head", "Base-Commit"},
	"merging": {"Commit"}, "merged": {"Commit"}}

// event reads one event. All of its files must be there and be of a size that is read.
func (v *Checker) event(id string) *event {
	return once(v.repo, "event "+id, func() *event {
		c := v.commit(id)
		at, err := time.Parse(time.RFC3339Nano, c.trailers["Assent-At"])
		sequence, _ := strconv.Atoi(c.trailers["Assent-Sequence"])
		kind := c.trailers["Assent-Event"]
		formed := err == nil && sequence > 0 && c.trailers["Assent-Journal"] == "1" && kind != "" && c.trailers["Assent-By"] != ""
		nameless := slices.ContainsFunc(naming[kind], func(field string) bool { return !objectName.MatchString(c.trailers[field]) })
		v.fail(errUnreadable, !formed || nameless || (kind == "opened") != (sequence == 1), "%s is no event of a journal", id)
		for file, f := range v.diff("", c.tree) {
			v.file(c.tree, file)
			v.fail(errUnreadable, f.new.mode != "100644", "event %s holds what is no file", id)
		}
		return &event{c, kind, sequence, at}
	})
}

// before reads the events before an announcement, the oldest first. Where they make no sense it returns none.
func (v *Checker) before(id string, at *event) (events []*event) {
	for at.sequence > 1 {
		e := v.event(at.parent())
		if v.pass(errUnreadable) || e.sequence != at.sequence-1 {
			return nil
		}
		at, events = e, append(events, e)
	}
	slices.Reverse(events)
	merged := ""
	for _, e := range events {
		stray := e.kind == "opened" && (e.trailers["Branch"] != "proposal/"+id || e.trailers["Base"] != "main")
		final := e.kind == "closed" || e.kind == "reopened" || e.kind == "merged" && merged != e.trailers["Commit"]
		if stray || merged != "" && final {
			return nil
		}
		if e.kind == "merged" {
			merged = e.trailers["Commit"]
		}
	}
	return events
}

// actor is a person as the journal names them. Nothing proves it.
type actor struct{ Name, Login, Email, Key string }

// actors are those who opened or pushed, those who are behind it, and who ran the session. The zero actor is unknown.
func (v *Checker) actors(e *event) []actor {
	by, behind := actor{}, []actor{}
	if json.Unmarshal(v.file(e.tree, "actor.json"), &by) != nil {
		by = actor{Name: e.trailers["Assent-By"]}
	}
	if data := v.file(e.tree, "behind.json"); data != nil && (json.Unmarshal(data, &behind) != nil || len(behind) == 0) {
		behind = []actor{{}}
	}
	var made struct{ Session struct{ Email, Key string } }
	if json.Unmarshal(v.file(e.tree, "provenance.json"), &made) == nil && made.Session.Email+made.Session.Key != "" {
		behind = append(behind, actor{Email: made.Session.Email, Key: made.Session.Key})
	}
	return append(behind, by)
}

// review is one decision, with whose key signed it.
type review struct {
	V                                                             int
	Workspace, Proposal, Head, Tree, Decision, Reason, Nonce, key string
	At                                                            time.Time
}

// review reads a record. One that is about something else has no key.
func (v *Checker) review(proposal string, e *event) (out review) {
	data := v.file(e.tree, "review.json")
	if json.Unmarshal(data, &out) == nil && out.V == 1 && out.Workspace == v.genesis && out.Proposal == proposal {
		out.key = v.signer(data, v.file(e.tree, "review.sig"), "assent-review")
	}
	return out
}

// identity is one entry of roles.yaml.
type identity struct {
	Keys, Emails []string
	Logins       map[string]string
	Owner, Until string
	Revoked      []struct{ Key string }
}

// need is a number of approvals by those who hold a role.
type need struct {
	Role  string
	Count int
}

// policies are those that a merge is judged by, as far as can be derived what they ask for. That they are well-formed
// is trusted: validation found no error when they were merged.
type policies struct {
	ids            map[string]identity
	members        map[string][]string
	byKey, revoked map[string]string // names by key
	marks          map[string]string // names by anything that is or was theirs, in lower case
	Tiers          map[string][]need
	Attestations   string
	expiry         time.Duration // of a request for approval, and of an approval
}

const human, lead, witness = "human", "lead", "witness"

var units = map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}

// policies reads the policies of a tree. A file that cannot be used is replaced by the strictest.
func (v *Checker) policies(tree string) *policies {
	p := &policies{ids: map[string]identity{}, byKey: map[string]string{}, revoked: map[string]string{}, marks: map[string]string{}, expiry: 7 * 24 * time.Hour}
	var roles struct {
		People, Agents map[string]identity
		Roles          map[string][]string
	}
	if yaml.Unmarshal(v.file(tree, "policies/roles.yaml"), &roles) == nil {
		p.members = roles.Roles
		p.add(roles.People)
		p.add(roles.Agents)
	}
	if yaml.Unmarshal(v.file(tree, "policies/approvals.yaml"), p) != nil || len(p.Tiers) != 4 {
		p.Tiers = map[string][]need{"low": {{human, 1}}, "medium": {{human, 1}}, "high": {{human, 2}}, "critical": {{human, 2}}}
	}
	_ = yaml.Unmarshal(v.file(tree, "policies/security.yaml"), p)
	var limits struct{ Expiry string }
	_ = yaml.Unmarshal(v.file(tree, "policies/limits.yaml"), &limits)
	if n, unit := 0, ""; limits.Expiry != "" {
		_, _ = fmt.Sscanf(limits.Expiry, "%d%s", &n, &unit)
		p.expiry = time.Duration(n) * units[unit]
	}
	return p
}

// add notes what belongs to people or agents.
func (p *policies) add(section map[string]identity) {
	for name, id := range section {
		p.ids[name] = id
		marks := slices.Concat(id.Keys, id.Emails, slices.Collect(maps.Values(id.Logins)))
		for _, gone := range id.Revoked {
			marks, p.revoked[fingerprint(gone.Key)] = append(marks, gone.Key), name
		}
		for _, mark := range marks {
			p.marks[strings.ToLower(fingerprint(mark))] = name
		}
		for _, key := range id.Keys {
			p.byKey[fingerprint(key)] = name
		}
	}
}

func (p *policies) has(name, role string) bool {
	return slices.Contains(p.members[role], name) || role == lead && slices.Contains(p.members[human], name)
}

// possible are the names of all who some actors may be; a journal proves none of it.
func (p *policies) possible(actors []actor) (out []string) {
	for _, a := range actors {
		out = append(out, a.Name)
		for _, mark := range []string{a.Key, a.Email, a.Login} {
			out = append(out, p.marks[strings.ToLower(mark)])
		}
	}
	return slices.DeleteFunc(out, func(name string) bool { _, known := p.ids[name]; return !known })
}

func (p *policies) expired(name string, at time.Time) bool {
	return p.ids[name].Until != "" && at.UTC().Format(time.DateOnly) >= p.ids[name].Until
}

var (
	filesKey  = regexp.MustCompile(`(?m)^files:(?: \[\])?\n(?:  - [\w./"-]+\n)*`)
	entryForm = regexp.MustCompile(`(?m)^### Capability: ([a-z0-9-]+)\n\*\*Learned\*\*: \d{4}-\d\d-\d\d · ` +
		`\*\*Status\*\*: \w+ · \*\*Verified By\*\*: assent\n\n\*\*Description\*\*: (.+)\n\n\*\*Usage\*\*:\n` +
		`(?:Load the skill [a-z0-9-]+ and follow it|Call by name: [a-z0-9_]+\(…\))\.\n\n+`)
	emptyList = regexp.MustCompile(`\n*## Learned Capabilities\n\s*(\z|#{1,2} )`)
)

func isSoul(file string) bool {
	return strings.HasPrefix(file, "soul/") && strings.HasSuffix(file, "/SOUL.md")
}

// effect is the digest of what a head changes against where it left a commit.
func (v *Checker) effect(into, head string) string {
	base, _ := v.branch(into, head)
	return digest([]byte(strings.Join(v.footprint(base.tree, v.commit(head).tree), "")))
}

// footprint is what a change does: a line for each path, without what the engine itself writes. Reviews
// are bound to its digest.
func (v *repo) footprint(from, to string, roots ...string) (out []string) {
	for p, c := range v.diff(from, to, roots...) {
		before, after := v.stripped(from, p, c.old), v.stripped(to, p, c.new)
		if before != after || c.old.mode != c.new.mode {
			out = append(out, fmt.Sprintf("%q %s %s %s %s\n", p, cmp.Or(c.old.mode, "000000"), before, cmp.Or(c.new.mode, "000000"), after))
		}
	}
	slices.Sort(out)
	return out
}

// stripped is the name of a file's content without the files list of a proposal or the engine's own
// entries of a learned list.
func (v *repo) stripped(tree, file string, e entry) string {
	proposal := strings.HasPrefix(file, "proposals/") && strings.HasSuffix(file, ".md")
	if !e.isFile() || !isSoul(file) && !proposal {
		return cmp.Or(e.id, strings.Repeat("0", 40))
	}
	data := v.file(tree, file)
	if isSoul(file) {
		data = v.withoutLearned(tree, string(data))
	} else if at := filesKey.FindIndex(front(data)); at != nil { // anything else in front stays, and so is bound
		data = slices.Concat(data[:4+at[0]], data[4+at[1]:])
	}
	return nameOf("blob", data)
}

// front is the YAML between the first two lines of dashes.
func front(data []byte) []byte {
	if head, _, ok := bytes.Cut(data, []byte("\n---\n")); ok && len(head) > 4 && bytes.HasPrefix(data, []byte("---\n")) {
		return data[4 : len(head)+1]
	}
	return nil
}

// withoutLearned drops the entries that the engine wrote: each describes a skill of the same tree as that does
// itself. It also drops the heading of a list that holds nothing else.
func (v *repo) withoutLearned(tree, text string) []byte {
	text = strings.ReplaceAll(strings.Trim(text, " \t\r\n"), "\r\n", "\n") + "\n\n"
	text = entryForm.ReplaceAllStringFunc(text, func(item string) string {
		m := entryForm.FindStringSubmatch(item)
		for _, group := range append(sorted(v.tree(v.find(tree, "skills"))), "") {
			var skill struct{ Description string }
			head := front(v.file(tree, path.Join("skills", group, m[1], "SKILL.md")))
			if yaml.Unmarshal(head, &skill) == nil && strings.Join(strings.Fields(skill.Description), " ") == m[2] {
				return ""
			}
		}
		return item
	})
	return []byte(strings.Trim(emptyList.ReplaceAllString(text, "\n\n$1"), " \t\r\n"))
}
