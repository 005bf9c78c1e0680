package audit_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
)

// mutation is one way to tamper with a history.
type mutation struct {
	kind string // the change: a byte, a date, an omitted event
	role string // the changed object: a policy, a review's signature, a folded event
	change
}

// mutator makes mutations of one graph.
type mutator struct {
	*graph
	random *rand.Rand
	roles  map[tree.Hash]string
	chains [][]tree.Hash // the events of each journal, oldest first
	out    []mutation
}

func (m *mutator) add(kind, role string, raw map[tree.Hash][]byte, refs map[string]tree.Hash) {
	m.out = append(m.out, mutation{kind, role, change{raw: raw, refs: refs, thorough: m.random.IntN(2) == 0}})
}

func (m *mutator) edit(kind string, h tree.Hash, raw []byte) {
	if !bytes.Equal(raw, m.things[h].raw) {
		m.add(kind, m.roles[h], map[tree.Hash][]byte{h: raw}, nil)
	}
}

// mutations returns very many mutations, in an order that a seed reproduces.
func (g *graph) mutations(random *rand.Rand, moments []map[string]tree.Hash, eve ssh.Signer, bytesEach int) []mutation {
	m := &mutator{graph: g, random: random, roles: map[tree.Hash]string{}}
	m.assign()
	for _, then := range moments {
		m.rolledBack(then)
	}
	m.pastTheGate()
	m.signedAgain(eve)
	for _, h := range g.order {
		for range bytesEach {
			m.oneByte(h)
		}
		switch g.things[h].kind {
		case "commit":
			m.commit(h)
		case "tree":
			m.tree(h)
		case "blob":
			m.fields(h)
		}
	}
	for _, chain := range m.chains {
		m.disorder(chain)
	}
	m.moved()
	return m.out
}

func (m *mutator) oneByte(h tree.Hash) {
	raw := bytes.Clone(m.things[h].raw)
	if len(raw) == 0 {
		return
	}
	raw[m.random.IntN(len(raw))] ^= byte(1 + m.random.IntN(255))
	m.edit("byte", h, raw)
}

// any picks one of a list.
func (m *mutator) any(of []tree.Hash) tree.Hash { return of[m.random.IntN(len(of))] }

// of returns the objects of a kind, in a fixed order.
func (m *mutator) of(kind string) []tree.Hash {
	var out []tree.Hash
	for _, h := range m.order {
		if m.things[h].kind == kind {
			out = append(out, h)
		}
	}
	return out
}

var (
	personLine  = regexp.MustCompile(`(?m)^(author|committer) (.*) <(.*)> (\d+) ([+-]\d{4})$`)
	parentLine  = regexp.MustCompile(`(?m)^parent ([0-9a-f]{40})\n`)
	trailerLine = regexp.MustCompile(`(?m)^(Assent-[A-Za-z-]+|State|Head|Commit|Tree|Base-Commit|Title|Branch|Base|Decision|Effective|Digest|Passed|Key|Why|Engine): (.*)\n`)
)

// split returns the header and the message of a commit.
func split(raw []byte) (string, string) {
	head, message, _ := strings.Cut(string(raw), "\n\n")
	return head + "\n", "\n" + message
}

// commit changes persons, dates, parents, trailers, tree and text.
func (m *mutator) commit(h tree.Hash) {
	head, message := split(m.things[h].raw)
	for _, at := range personLine.FindAllStringSubmatchIndex(head, -1) {
		who := head[at[2]:at[3]]
		when, _ := strconv.Atoi(head[at[8]:at[9]])
		for _, by := range []int{1, -86400} {
			m.edit(who+" date", h, []byte(head[:at[8]]+strconv.Itoa(when+by)+head[at[9]:]+message))
		}
		m.edit(who+" name", h, []byte(head[:at[4]]+"Mallory"+head[at[5]:]+message))
	}
	parents := parentLine.FindAllStringIndex(head, -1)
	for _, p := range parents {
		m.edit("parent dropped", h, []byte(head[:p[0]]+head[p[1]:]+message))
	}
	if len(parents) > 1 {
		a, b := parents[0], parents[1]
		m.edit("parents swapped", h, []byte(head[:a[0]]+head[b[0]:b[1]]+head[a[0]:a[1]]+head[b[1]:]+message))
	}
	at := strings.Index(head, "author ")
	for _, other := range []tree.Hash{m.any(m.of("commit")), m.any(m.of("commit"))} {
		m.edit("parent added", h, []byte(head[:at]+"parent "+other.String()+"\n"+head[at:]+message))
	}
	m.edit("tree of another", h, []byte("tree "+m.any(m.of("tree")).String()+head[len("tree ")+40:]+message))
	for _, t := range trailerLine.FindAllStringSubmatchIndex(message, -1) {
		name := strings.ToLower(message[t[2]:t[3]])
		m.edit("trailer "+name, h, []byte(head+message[:t[4]]+m.other(message[t[4]:t[5]])+message[t[5]:]))
		m.edit("trailer dropped", h, []byte(head+message[:t[0]]+message[t[1]:]))
		m.edit("trailer twice", h, []byte(head+message[:t[1]]+message[t[2]:t[3]]+": "+m.other(message[t[4]:t[5]])+"\n"+message[t[1]:]))
	}
	if kind := trailerOf(message, "Assent-Event"); kind != "" {
		for _, other := range []string{"opened", "comment", "review", "report", "pushed", "merging", "merged", "closed", "reopened", "unknown"} {
			text := strings.Replace(message, "Assent-Event: "+kind+"\n", "Assent-Event: "+other+"\n", 1)
			m.edit("event kind", h, []byte(head+strings.Replace(text, "\n"+kind+": ", "\n"+other+": ", 1)))
		}
	}
}

func trailerOf(message, key string) string {
	_, rest, _ := strings.Cut(message, "\n"+key+": ")
	value, _, _ := strings.Cut(rest, "\n")
	return value
}

// other returns another value of the same form.
func (m *mutator) other(value string) string {
	if n, err := strconv.Atoi(value); err == nil {
		return strconv.Itoa(n + 1)
	}
	for _, pair := range [][2]string{{"true", "false"}, {"low", "high"}, {"critical", "low"}, {"high", "low"}, {"approve", "reject"}, {"ada", "bob"}, {"bob", "ada"},
		{"open", "closed"}, {"merged", "closed"}, {"closed", "open"}, {"allowed", "waiting"}} {
		if value == pair[0] {
			return pair[1]
		}
	}
	if h, err := tree.ParseHash(value); err == nil && m.things[h].kind == "commit" {
		return m.any(m.of("commit")).String()
	}
	if value == "" {
		return "x"
	}
	at := m.random.IntN(len(value))
	c := value[at]
	switch {
	case c >= '0' && c <= '8', c >= 'a' && c <= 'e':
		c++
	case c == 'f' || c == '9':
		c--
	default:
		c = 'x'
	}
	return value[:at] + string(c) + value[at+1:]
}

// entry is one line of a tree.
type entry struct {
	mode, name string
	hash       tree.Hash
}

func entriesOf(raw []byte) []entry {
	var out []entry
	for len(raw) > 0 {
		zero := bytes.IndexByte(raw, 0)
		mode, name, _ := strings.Cut(string(raw[:zero]), " ")
		out = append(out, entry{mode, name, tree.Hash(raw[zero+1 : zero+21])})
		raw = raw[zero+21:]
	}
	return out
}

func treeOf(entries []entry) []byte {
	key := func(e entry) string {
		if e.mode == "40000" {
			return e.name + "/"
		}
		return e.name
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(key(a), key(b)) })
	var out []byte
	for _, e := range entries {
		out = append(append(out, e.mode+" "+e.name+"\x00"...), e.hash[:]...)
	}
	return out
}

// tree changes the entries of a tree.
func (m *mutator) tree(h tree.Hash) {
	entries := entriesOf(m.things[h].raw)
	with := func(kind string, change func([]entry) []entry) {
		m.edit(kind, h, treeOf(change(slices.Clone(entries))))
	}
	with("entry added", func(all []entry) []entry {
		return append(all, entry{"100644", "zz-added", m.any(m.of("blob"))})
	})
	for i, e := range entries {
		with("entry dropped", func(all []entry) []entry { return slices.Delete(all, i, i+1) })
		with("entry renamed", func(all []entry) []entry { all[i].name += "x"; return all })
		if e.mode == "40000" {
			with("content of another", func(all []entry) []entry { all[i].hash = m.any(m.of("tree")); return all })
			continue
		}
		with("content of another", func(all []entry) []entry { all[i].hash = m.any(m.of("blob")); return all })
		for _, mode := range []string{"100755", "120000"} {
			with("mode", func(all []entry) []entry { all[i].mode = mode; return all })
		}
	}
}

var jsonField = regexp.MustCompile(`"([a-z_]+)": ?("(?:[^"\\]|\\.)*"|-?\d+|true|false)`)

// fields changes one field of JSON content, and swaps signatures.
func (m *mutator) fields(h tree.Hash) {
	raw, role := m.things[h].raw, m.roles[h]
	if strings.Contains(role, "signature") {
		for _, other := range m.of("blob") {
			if other != h && m.roles[other] == role {
				m.edit("signature of another", h, m.things[other].raw)
			}
		}
	}
	if len(raw) == 0 || raw[0] != '{' {
		return
	}
	for _, at := range jsonField.FindAllSubmatchIndex(raw, -1) {
		key, value := string(raw[at[2]:at[3]]), string(raw[at[4]:at[5]])
		now := m.other(strings.Trim(value, `"`))
		if value[0] == '"' {
			now = `"` + now + `"`
		}
		m.edit("field "+key, h, []byte(string(raw[:at[4]])+now+string(raw[at[5]:])))
	}
}

// disorder omits, repeats and exchanges events, with corrected numbers.
func (m *mutator) disorder(chain []tree.Hash) {
	for i := range chain {
		role := m.roles[chain[i]]
		if i < len(chain)-1 {
			m.rechain("event left out", role, slices.Delete(slices.Clone(chain), i, i+1), chain)
			swapped := slices.Clone(chain)
			swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
			m.rechain("events swapped", role, swapped, chain)
		}
	}
}

var numberLine = regexp.MustCompile(`(?m)^Assent-Sequence: \d+$`)

// rechain puts events into another order, and updates references to the last one.
func (m *mutator) rechain(kind, role string, now, before []tree.Hash) {
	raw := map[tree.Hash][]byte{}
	for i, h := range now {
		head, message := split(m.things[h].raw)
		own := parentLine.FindAllString(head, -1)
		if slices.Index(before, h) > 0 {
			own = own[1:]
		}
		head = parentLine.ReplaceAllString(head, "")
		if i > 0 {
			own = append([]string{"parent " + now[i-1].String() + "\n"}, own...)
		}
		at := strings.Index(head, "author ")
		head = head[:at] + strings.Join(own, "") + head[at:]
		raw[h] = []byte(head + numberLine.ReplaceAllString(message, fmt.Sprintf("Assent-Sequence: %d", i+1)))
	}
	if last := before[len(before)-1]; now[len(now)-1] == last {
		m.add(kind, role, raw, nil)
	} else if ref := m.refAt(last); ref != "" {
		m.add(kind, role, raw, map[string]tree.Hash{ref: now[len(now)-1]})
	}
}

func (m *mutator) refAt(h tree.Hash) string {
	for _, name := range slices.Sorted(maps.Keys(m.refs)) {
		if m.refs[name] == h {
			return name
		}
	}
	return ""
}

// moved moves, swaps, deletes and makes refs.
func (m *mutator) moved() {
	names := slices.Sorted(maps.Keys(m.refs))
	to := func(kind, role, ref string, h tree.Hash) { m.add(kind, role, nil, map[string]tree.Hash{ref: h}) }
	for _, name := range names {
		role := refRole(name)
		to("ref deleted", role, name, tree.Hash{})
		at := m.refs[name]
		for _, back := range m.firstParents(at) {
			to("ref moved back", role, name, back)
		}
		for range 6 {
			to("ref moved aside", role, name, m.any(m.of("commit")))
		}
		for range 3 {
			other := names[m.random.IntN(len(names))]
			m.add("refs swapped", role, nil, map[string]tree.Hash{name: m.refs[other], other: at})
		}
		for _, fresh := range []string{"refs/assent/pulls/" + strings.Repeat("x", 1+m.random.IntN(5)) + "-k3v9q2mt", "refs/assent/closed/2031", "refs/assent/closed/2026-other",
			"refs/assent/runs/x" + strconv.Itoa(m.random.IntN(99)), "refs/heads/x" + strconv.Itoa(m.random.IntN(99)), "refs/tags/x" + strconv.Itoa(m.random.IntN(99))} {
			role := refRole(fresh)
			if role == "line of folds" && m.roles[at] == "fold" {
				role = "copy of a line"
			}
			m.add("ref made", role, nil, map[string]tree.Hash{fresh: at})
		}
	}
}

// rolledBack resets all refs to a moment.
func (m *mutator) rolledBack(then map[string]tree.Hash) {
	refs := maps.Clone(then)
	for name := range m.refs {
		if _, there := then[name]; !there {
			refs[name] = tree.Hash{}
		}
	}
	m.add(wholeRollback, "everything", nil, refs)
}

// pastTheGate adds commits to main that restore earlier trees of main.
func (m *mutator) pastTheGate() {
	main := m.refs["refs/heads/main"]
	for _, h := range m.of("commit") {
		if !strings.Contains(m.roles[h], "commit on main") && m.roles[h] != "merge commit" && m.roles[h] != "genesis commit" || m.treeOf(h) == m.treeOf(main) {
			continue
		}
		c := thing{"commit", fmt.Appendf(nil, "tree %s\nparent %s\nauthor Eve <e@example.org> 1800000000 +0000\ncommitter Eve <e@example.org> 1800000000 +0000\n\nby hand\n", m.treeOf(h), main)}
		m.out = append(m.out, mutation{"commit past the gate", "main", change{
			refs: map[string]tree.Hash{"refs/heads/main": c.hash()}, fresh: map[tree.Hash]thing{c.hash(): c},
		}})
	}
}

// signedAgain replaces the signer of the genesis commit.
func (m *mutator) signedAgain(eve ssh.Signer) {
	for _, h := range m.of("commit") {
		if m.roles[h] != "genesis commit" {
			continue
		}
		head, message := split(m.things[h].raw)
		plain, _, _ := strings.Cut(head, "gpgsig ")
		sig, err := review.SignCommit([]byte(plain+message), eve)
		if err == nil {
			m.edit("signed again", h, []byte(plain+"gpgsig "+strings.ReplaceAll(strings.TrimRight(string(sig), "\n"), "\n", "\n ")+"\n"+message))
		}
	}
}

// wholeRollback is the kind of a valid history that ends earlier.
const wholeRollback = "rolled back as a whole"

// firstParents returns the first-parent ancestors of a commit.
func (m *mutator) firstParents(h tree.Hash) []tree.Hash {
	var out []tree.Hash
	for {
		head, _ := split(m.things[h].raw)
		p := parentLine.FindStringSubmatch(head)
		if p == nil {
			return out
		}
		next, err := tree.ParseHash(p[1])
		if err != nil {
			return out
		}
		out, h = append(out, next), next
	}
}

func refRole(name string) string {
	switch {
	case name == "refs/heads/main":
		return "main"
	case strings.HasPrefix(name, "refs/heads/"+forge.BranchPrefix):
		return "branch of an open proposal"
	case strings.HasPrefix(name, "refs/assent/pulls/"):
		return "journal"
	case strings.HasPrefix(name, "refs/assent/closed/"):
		return "line of folds"
	case strings.HasPrefix(name, "refs/assent/"):
		return "other journal"
	}
	return "ref that assent does not read"
}
