package check

import (
	"bytes"
	"cmp"
	"crypto/sha1" //nolint:gosec // Lines of folds spread names by it.
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// event is one event of a proposal's journal.
type event struct {
	commit      *commit
	kind, by    string
	sequence    int
	at          time.Time
	fields      map[string]string
	attestation attestation // of an announcement, with whose key signed it
	signer      string
}

// actor is a person as the journal names them. Nothing proves it.
type actor struct{ Name, Login, Email, Key string }

// push is one move of a proposal's branch.
type push struct {
	by       []actor
	old, new string
	engine   bool
}

// record is what a journal says of a proposal up to some event.
type record struct {
	asked    time.Time // when approval was last asked for
	pushes   []push
	reviews  []review
	reports  map[string][]byte
	sessions []actor
}

var (
	proposalID = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*-[0-9abcdefghjkmnpqrstvwxyz]{8}$`)
	fieldShape = regexp.MustCompile(`^[A-Za-z]+(-[A-Za-z]+)*$`)
	kindShape  = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
	foldLine   = regexp.MustCompile(`^refs/assent/closed/[0-9]{4}$`)
	escaped    = regexp.MustCompile(`^(?:[^\\]|\\(?:\\|n|e|x[0-9a-fA-F]{2}))*$`)
)

// journal reads a proposal's journal, from its ref and from where it was folded: each part of it that begins
// with the first event, oldest first. Whoever can push can put anything upon a journal, so that what cannot
// be read keeps nothing below it from being read.
func (v *Checker) journal(id string) (parts [][]*event, damage error) {
	heads := []string{v.refs["refs/assent/pulls/"+id]}
	sum := fmt.Sprintf("%x", sha1.Sum([]byte(id))) //nolint:gosec // see the import
	name := path.Join(sum[:1], sum[1:2], sum[2:3], id)
	for ref, tip := range v.refs {
		var folded struct {
			V          int
			Name, Head string
		}
		c := v.commit(tip)
		line := foldLine.MatchString(ref) && c.trailer("Assent-Fold") == "1" && v.find(c.tree, name).mode == "100644"
		if line && json.Unmarshal(v.file(c.tree, name), &folded) == nil && folded.Name == id && folded.V == 1 {
			heads = append(heads, folded.Head)
		}
		if found := v.err; v.pass(errUnreadable) {
			damage = cmp.Or(damage, found)
		}
	}
	seen := map[string]bool{"": true}
	for _, at := range heads {
		var part []*event
		for skipped := 0; !seen[at] && skipped <= maxSkipped && len(part) <= maxEvents; {
			e := v.event(at)
			seen[at], skipped = true, skipped+1
			if found := v.err; !v.pass(errUnreadable) {
				skipped = 0
				if len(part) > 0 && part[len(part)-1].sequence != e.sequence+1 {
					part = nil
				}
				if part = append(part, e); e.sequence == 1 {
					slices.Reverse(part)
					parts, part = append(parts, part), nil
				}
			} else if part = nil; len(parts) > 0 {
				break // below the first event are commits of the proposal
			} else {
				damage = cmp.Or(damage, found)
			}
			at = v.commit(at).parent()
			v.pass(errUnreadable)
		}
	}
	return parts, damage
}

// event reads one event. All of its files must be there and be of a size that is read.
func (v *Checker) event(id string) *event {
	return once(v.repo, "event "+id, func() *event {
		c, fields, spelled := v.commit(id), map[string]string{}, map[string]string{}
		for _, t := range c.trailers() {
			low := strings.ToLower(t[0])
			broken := !fieldShape.MatchString(t[0]) || !escaped.MatchString(t[1]) || cmp.Or(spelled[low], t[0]) != t[0]
			v.fail(errUnreadable, broken, "event %s has a broken %s", id, t[0])
			fields[t[0]], spelled[low] = t[1], t[0]
		}
		at, err := time.Parse(time.RFC3339Nano, fields["Assent-At"])
		sequence, _ := strconv.Atoi(fields["Assent-Sequence"])
		e := &event{commit: c, kind: fields["Assent-Event"], by: fields["Assent-By"], sequence: sequence, at: at, fields: fields}
		good := err == nil && fields["Assent-Journal"] == "1" && sequence >= 1 && kindShape.MatchString(e.kind) && e.by != ""
		v.fail(errUnreadable, !good, "%s is no event of a journal", id)
		for file, f := range v.diff("", c.tree) {
			v.file(c.tree, file)
			v.fail(errUnreadable, f.new.mode != "100644", "event %s holds what is no file", id)
		}
		data := v.file(c.tree, "attestation.json")
		if e.kind == "merging" && json.Unmarshal(data, &e.attestation) == nil {
			e.signer = v.signer(data, v.file(c.tree, "attestation.sig"), "assent-attestation")
		}
		return e
	})
}

// naming are the fields of events that must name a commit.
var naming = map[string]string{
	"opened": "Head", "pushed": "Head", "review": "Head", "report": "Head",
	"merging": "Commit", "merged": "Commit",
}

// replay folds the events before an announcement. What cannot be understood there voids the record.
func (v *Checker) replay(id string, events []*event) *record {
	r, merged := &record{reports: map[string][]byte{}}, ""
	v.fail(errUnreadable, len(events) == 0, "the journal of %s begins with an announcement", id)
	for i, e := range events {
		file := func(name string) []byte { return v.file(e.commit.tree, name) }
		by := actor{}
		if json.Unmarshal(file("actor.json"), &by) != nil {
			by = actor{Name: e.by}
		}
		opens, asks, field := e.kind == "opened", e.kind == "reopened", naming[e.kind]
		wrong := opens != (i == 0) || field != "" && !objectName.MatchString(e.fields[field])
		switch e.kind {
		case "opened", "pushed":
			p := push{by: []actor{by}, new: e.fields["Head"]}
			if p.engine, _ = strconv.ParseBool(e.fields["Engine"]); opens {
				p.engine, wrong = false, wrong || e.fields["Branch"] != "proposal/"+id || e.fields["Base"] != "main"
				var behind []actor
				if data := file("behind.json"); data != nil && (json.Unmarshal(data, &behind) != nil || len(behind) == 0) {
					behind = []actor{{}} // somebody whom nobody can name
				}
				p.by = append(p.by, behind...)
			} else if !wrong {
				p.old = r.pushes[len(r.pushes)-1].new
			}
			var made struct{ Session actor }
			if json.Unmarshal(file("provenance.json"), &made) == nil && !p.engine {
				r.sessions = append(r.sessions, actor{Email: made.Session.Email, Key: made.Session.Key})
			}
			r.pushes, asks = append(r.pushes, p), !p.engine
		case "review":
			r.reviews = append(r.reviews, v.review(id, file("review.json"), file("review.sig")))
		case "report":
			if r.reports[e.fields["Digest"]] == nil {
				r.reports[e.fields["Digest"]] = file("report.json")
			}
			wrong = wrong || !objectName.MatchString(e.fields["Base-Commit"])
		case "merged":
			wrong, merged = wrong || merged != "" && merged != e.fields["Commit"], e.fields["Commit"]
		case "closed", "reopened":
			wrong = wrong || merged != ""
		}
		if asks && e.at.After(r.asked) {
			r.asked = e.at
		}
		if v.fail(errUnreadable, wrong, "event %d of %s makes no sense", e.sequence, id) {
			break
		}
	}
	return r
}

// review is one decision: signed by a key, or by an account for which a witness vouches.
type review struct {
	V         int       `json:"v"`
	Workspace string    `json:"workspace"`
	Proposal  string    `json:"proposal"`
	Head      string    `json:"head"`
	Tree      string    `json:"tree"`
	Decision  string    `json:"decision"`
	Reason    string    `json:"reason"`
	At        time.Time `json:"at"`
	Nonce     string    `json:"nonce"`
	key       string
}

var nonce = regexp.MustCompile(`^[A-Za-z0-9_-]{16,64}$`)

// review reads a record. One that is not in the form that is signed, or is about something else, has no key.
func (v *Checker) review(proposal string, data, signature []byte) (out review) {
	var again bytes.Buffer
	encoder := json.NewEncoder(&again)
	encoder.SetEscapeHTML(false)
	if len(data) > 16<<10 || json.Unmarshal(data, &out) != nil || encoder.Encode(out) != nil || !bytes.Equal(again.Bytes(), data) {
		return review{}
	}
	formed := out.V == 1 && objectName.MatchString(out.Head) && out.Tree != "" && nonce.MatchString(out.Nonce) && out.At.Nanosecond() == 0
	if formed && out.Workspace == v.genesis && out.Proposal == proposal {
		out.key = v.signer(data, signature, "assent-review")
	}
	return out
}

// identity is one entry of roles.yaml.
type identity struct {
	Keys, Emails []string
	Logins       map[string]string
	Owner, Until string
	Revoked      []struct{ Key, From, Reason string }
}

// need is a number of approvals by those who hold a role.
type need struct {
	Role  string
	Count int
}

// policies are what was in force when a merge was judged, as far as it can be derived what they ask for.
type policies struct {
	ids     map[string]*identity
	members map[string][]string
	owner   map[string]string // name, by key, revoked key, address or account
	Tiers   map[string][]need
	expiry  time.Duration
}

const human, lead, witness = "human", "lead", "witness"

var (
	tiers     = []string{"", "low", "medium", "high", "critical"}
	roleShape = regexp.MustCompile(`^(human|lead|researcher|developer|analyst|writer|ops|witness)$`)
	nameShape = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	keyShape  = regexp.MustCompile(`^SHA256:[A-Za-z0-9+/]{43}$`)
	units     = map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}
	ageShape  = regexp.MustCompile(`(?m)^expiry: *"?(\d{1,5})([smhd])"? *(#.*)?$`)
)

// usable reads one YAML document that has no anchors, aliases and tags, and one meaning.
func usable(data []byte, strict bool, out any) bool {
	var doc yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(strict)
	return yaml.Unmarshal(data, &doc) == nil && !strange(&doc) && d.Decode(out) == nil && errors.Is(d.Decode(&doc), io.EOF)
}

func strange(n *yaml.Node) bool {
	return n.Kind == yaml.AliasNode || n.Anchor != "" || n.Style&yaml.TaggedStyle != 0 || slices.ContainsFunc(n.Content, strange)
}

// policies reads the policies of a tree. A file that cannot be used is replaced by the strictest.
func (v *Checker) policies(tree string) *policies {
	p := &policies{expiry: 7 * 24 * time.Hour}
	var raw struct {
		People, Agents map[string]*identity
		Roles          map[string][]string
	}
	if !usable(v.file(tree, "policies/roles.yaml"), true, &raw) || !p.roles(raw.People, raw.Agents, raw.Roles) {
		p.ids, p.members, p.owner = nil, nil, nil
	}
	read := usable(v.file(tree, "policies/approvals.yaml"), false, p) && len(p.Tiers) == 4
	if !read || !slices.ContainsFunc(p.Tiers["critical"], func(n need) bool { return n.Role == human && n.Count > 0 }) {
		p.Tiers = map[string][]need{"low": {{human, 1}}, "medium": {{human, 1}}, "high": {{human, 2}}, "critical": {{human, 2}}}
	}
	if m := ageShape.FindSubmatch(v.file(tree, "policies/limits.yaml")); m != nil {
		n, _ := strconv.Atoi(string(m[1]))
		p.expiry = time.Duration(n) * units[string(m[2])]
	}
	return p
}

// roles takes over who is who, and reports whether the file makes sense: nothing belongs to two.
func (p *policies) roles(people, agents map[string]*identity, members map[string][]string) bool {
	p.ids, p.owner, p.members = map[string]*identity{}, map[string]string{}, members
	ok := true
	claim := func(name, kind, what string) {
		ok = ok && what != "" && p.owner[kind+what] == ""
		p.owner[kind+what] = name
	}
	for i, section := range []map[string]*identity{people, agents} {
		for name, id := range section {
			id = cmp.Or(id, &identity{})
			ok = ok && nameShape.MatchString(name) && p.ids[name] == nil && (id.Owner == "" || i == 1 && people[id.Owner] != nil)
			p.ids[name] = id
			for _, key := range id.Keys {
				claim(name, "key ", fingerprint(key))
			}
			for _, gone := range id.Revoked {
				claim(name, "revoked ", fingerprint(gone.Key))
			}
			for _, email := range id.Emails {
				claim(name, "email ", strings.ToLower(email))
			}
			for forge, login := range id.Logins {
				claim(name, "login ", strings.ToLower(forge+"/"+login))
			}
			_, err := time.Parse(time.DateOnly, cmp.Or(id.Until, time.DateOnly))
			ok = ok && err == nil
		}
	}
	for role, names := range members {
		for i, name := range names {
			_, person := people[name]
			ok = ok && p.ids[name] != nil && roleShape.MatchString(role) && slices.Index(names, name) == i && (role != human || person)
		}
	}
	return ok
}

func (p *policies) has(name, role string) bool {
	return slices.Contains(p.members[role], name) || role == lead && slices.Contains(p.members[human], name)
}

// byKey is whose key it is; empty where nobody lists it.
func (p *policies) byKey(key string) string { return p.owner["key "+key] }

// possible are the names of all who some actors may be; a journal proves none of it.
func (p *policies) possible(actors []actor) (out []string) {
	for _, a := range actors {
		login := strings.ToLower(a.Login)
		out = append(out, a.Name, p.byKey(a.Key), p.owner["revoked "+a.Key], p.owner["email "+strings.ToLower(a.Email)],
			p.owner["login github/"+login], p.owner["login gitea/"+login])
	}
	return slices.DeleteFunc(out, func(name string) bool { return p.ids[name] == nil })
}

func (p *policies) expired(name string, at time.Time) bool {
	until := p.ids[name].Until
	return until != "" && at.UTC().Format(time.DateOnly) >= until
}

const blank = " \t\r\n"

var (
	governed  = []string{"policies", "proposals", "skills", "soul", "workflows"}
	filesKey  = regexp.MustCompile(`(?m)^files:(?: \[\])?\n(?:  - [\w./"-]+\n)*`)
	entryForm = regexp.MustCompile(`(?m)^### Capability: ([a-z0-9-]+)\n\*\*Learned\*\*: \d{4}-\d\d-\d\d · ` +
		`\*\*Status\*\*: (\w+) · \*\*Verified By\*\*: assent\n\n\*\*Description\*\*: (.+)\n\n\*\*Usage\*\*:\n(.+)\n\n+`)
	runsCode  = regexp.MustCompile(`(?m)^run:`)
	emptyList = regexp.MustCompile(`\n*## Learned Capabilities\n\s*(\z|#{1,2} )`)
)

// footprint is what a change does: a line for each path, without what the engine itself writes. Reviews
// are bound to its digest.
func (r *repo) footprint(from, to string, roots ...string) (out []string) {
	found := r.diff(from, to, roots...)
	for _, p := range sorted(found) {
		c := found[p]
		before, after := r.stripped(from, p, c.old), r.stripped(to, p, c.new)
		if before != after || c.old.mode != c.new.mode {
			out = append(out, fmt.Sprintf("%q %s %s %s %s\n", p, cmp.Or(c.old.mode, "000000"), before, cmp.Or(c.new.mode, "000000"), after))
		}
	}
	slices.Sort(out)
	return out
}

// stripped is the name of a file's content without the files list of a proposal or the engine's own
// entries of a learned list.
func (r *repo) stripped(tree, file string, e entry) string {
	soul := strings.HasPrefix(file, "soul/") && strings.HasSuffix(file, "/SOUL.md")
	if !e.isFile() || !soul && (!strings.HasPrefix(file, "proposals/") || !strings.HasSuffix(file, ".md")) {
		return cmp.Or(e.id, strings.Repeat("0", 40))
	}
	data := r.file(tree, file)
	if soul {
		data = r.withoutLearned(tree, string(data))
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

// withoutLearned drops the entries that are exactly what the engine writes for a capability of the same tree,
// and the heading of a list that holds nothing else.
func (r *repo) withoutLearned(tree, text string) []byte {
	text = strings.ReplaceAll(strings.Trim(text, blank), "\r\n", "\n") + "\n\n"
	text = entryForm.ReplaceAllStringFunc(text, func(item string) string {
		m := entryForm.FindStringSubmatch(item)
		for _, group := range append(sorted(r.tree(r.find(tree, "skills"))), "") {
			at := path.Join("skills", group, m[1])
			var said struct{ Description, Status string }
			if yaml.Unmarshal(front(r.file(tree, at+"/SKILL.md")), &said) != nil || said.Description == "" {
				continue
			}
			record, usage := r.file(tree, at+"/capability.yaml"), "Load the skill "+m[1]+" and follow it."
			if runsCode.Match(record) {
				usage = "Call by name: " + strings.ReplaceAll(m[1], "-", "_") + "(…)."
			}
			damaged := yaml.Unmarshal(record, &said) != nil
			written := []string{cmp.Or(said.Status, "active"), strings.Join(strings.Fields(said.Description), " "), usage}
			if !damaged && slices.Equal(m[2:], written) {
				return ""
			}
		}
		return item
	})
	return []byte(strings.Trim(emptyList.ReplaceAllString(text, "\n\n$1"), blank))
}
