package workflow

import (
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// The defaults of a task.
const (
	usualTimeout = 7 * 24 * time.Hour
	usualRemind  = 24 * time.Hour
	usualLease   = time.Hour
	maxRetries   = 10
)

func (p *jobParser) job(key, n strictyaml.Node) Job {
	j := Job{Name: key.Key(), Pos: key.Pos()}
	if n.Kind() == strictyaml.Null {
		p.diags.Errorf(RuleShape, n.Pos(), "indent its keys further than its name, and give it run:, uses:, agent: or approve:", "job %s is empty", quote(j.Name))
		return j
	} else if !p.mapping(n, "a job") {
		return j
	}
	kinds := []struct {
		key  string
		keys []string
		read func(strictyaml.Node, *Job)
	}{{"uses", actionKeys(), p.action}, {"agent", taskKeys(), p.task}, {"run", scriptKeys(), p.script}, {"approve", approveKeys(), p.approve}}
	if text, _ := n.Get("uses").Text(); text == Call {
		kinds[0].keys, kinds[0].read = callKeys(), p.call
	}
	var all, is []string
	for _, k := range kinds {
		all = append(all, without(k.keys, all...)...)
		if n.Get(k.key).Kind() != strictyaml.Absent {
			is = append(is, k.key)
		}
	}
	switch len(is) {
	case 0:
		p.keys(n, all)
		p.diags.Errorf(RuleJob, j.Pos, "add uses: with one of "+strings.Join(usable(), ", ")+", agent: or approve: with a role, or run: with a script",
			"job %s uses no action, is for no agent, runs nothing and asks for no approval", quote(j.Name))
	case 1:
		for _, k := range kinds {
			if k.key == is[0] {
				p.keys(n, k.keys)
				k.read(n, &j)
			}
		}
	default:
		p.diags.Errorf(RuleJob, j.Pos, "make a job of each", "job %s has %s at once", quote(j.Name), strings.Join(is, " and "))
	}
	j.Needs = p.names(n.Get("needs"), "needs")
	if at := n.Get("continue-on-error"); at.Kind() != strictyaml.Absent {
		p.decode(at, "continue-on-error", &j.ContinueOnError)
	}
	if at := n.Get("retries"); at.Kind() != strictyaml.Absent && p.decode(at, "retries", &j.Retries) && (j.Retries < 0 || j.Retries > maxRetries) {
		p.diags.Errorf(RuleTask, at.Pos(), "write 0 to 10", "%d retries", j.Retries)
	}
	return j
}

func actionKeys() []string { return []string{"uses", "needs", "if", "gate", "message"} }

func taskKeys() []string {
	return []string{
		"agent", "needs", "not-by", "if", "gate", "route", "task", "asks", "covers", "deliver", "may", "timeout", "remind", "lease", "retries", "continue-on-error",
	}
}

// Approvers returns the names of the people who may approve a job, sorted.
func (j Job) Approvers(roles policy.Roles) []string {
	var out []string
	for _, id := range roles.All() {
		//defence:only-people-approve-jobs
		if id.Kind != policy.KindHuman {
			continue
		}
		//defence:approvals-of-jobs-are-for-roles
		if id.Name == j.Approve || slices.Contains(policy.KnownRoles(), j.Approve) && roles.Satisfies(id, j.Approve) {
			out = append(out, id.Name)
		}
	}
	return out
}

func approveKeys() []string {
	return []string{"approve", "needs", "if", "message", "timeout", "remind"}
}

// approve reads a job that waits for a person. It has no retries, and no failure of it is passed over:
// anyone who can push can write a failure into the journal of a run.
func (p *reader) approve(n strictyaml.Node, j *Job) {
	at := n.Get("approve")
	who, ok := p.text(at, "approve")
	if j.Approve = who; ok && !slices.Contains(policy.KnownRoles(), who) && !names.IsName(who) {
		p.diags.Errorf(RuleRole, at.Pos(), "write a role, such as lead or human, or a name of policies/roles.yaml", "%s is neither a role nor a name", quote(who))
	}
	if message := n.Get("message"); message.Kind() != strictyaml.Absent {
		j.Message = p.short(message, "message")
	}
	j.Timeout = p.span(n.Get("timeout"), "timeout", usualTimeout)
	j.Remind = p.span(n.Get("remind"), "remind", usualRemind)
}

func (p *jobParser) action(n strictyaml.Node, j *Job) {
	var ok bool
	if j.Uses, ok = p.text(n.Get("uses"), "uses"); ok {
		p.checkAction(j.Uses, n.Get("uses").Pos())
	}
	if gate := n.Get("gate"); gate.Kind() != strictyaml.Absent && j.Uses != Validate {
		p.diags.Errorf(RuleJob, gate.Pos(), "put it on the job that validates, or write if: to leave this one out",
			"only what %s finds can be held against a gate", Validate)
	}
	switch message := n.Get("message"); {
	case j.Uses == Notify:
		if message.Kind() == strictyaml.Absent {
			p.diags.Errorf(RuleJob, j.Pos, "add message: with one line", "job %s has nothing to tell", quote(j.Name))
		} else {
			j.Message = p.short(message, "message")
		}
	case message.Kind() != strictyaml.Absent:
		p.diags.Errorf(RuleJob, message.Pos(), "remove it", "only %s has a message", Notify)
	}
}

func (p *reader) checkAction(action string, pos diag.Pos) {
	if why, known := missing[action]; known {
		p.diags.Errorf(RuleAction, pos, "use one of "+strings.Join(usable(), ", "), "this version has no action %s: %s", quote(action), why)
	} else if !slices.Contains(Actions(), action) {
		fix := suggest(action, usable(), "use one of ")
		switch {
		case strings.Contains(action, ".github/"):
			fix = "write uses: workflow, and workflow: with the name of one in workflows/"
		case strings.Contains(action, "/"):
			fix = "write run: with a script instead; the files are in its start folder already"
		}
		p.diags.Errorf(RuleAction, pos, fix, "there is no action %s", quote(action))
	}
}

func (p *jobParser) task(n strictyaml.Node, j *Job) {
	j.Agent = p.role(n.Get("agent"), "agent")
	j.Route = p.route(n.Get("route"))
	p.template(n.Get("task"), j)
	j.NotBy = p.names(n.Get("not-by"), "not-by")
	j.Asks = p.questions(n.Get("asks"))
	j.Covers = p.list(n.Get("covers"), "covers", maxList)
	for i, word := range j.Covers {
		if at := n.Get("covers"); slices.Contains(j.Covers[:i], word) || !wordShape(word) {
			p.diags.Errorf(RuleTask, at.Pos(), "write lower-case words, each once", "%s cannot be covered", quote(word))
		}
	}
	j.Deliver = p.patterns(n.Get("deliver"), "deliver")
	j.May = p.patterns(n.Get("may"), "may")
	j.Timeout = p.span(n.Get("timeout"), "timeout", usualTimeout)
	j.Remind = p.span(n.Get("remind"), "remind", usualRemind)
	j.Lease = p.span(n.Get("lease"), "lease", usualLease)
}

func (p *reader) role(n strictyaml.Node, field string) string {
	role, ok := p.text(n, field)
	if ok && !slices.Contains(policy.KnownRoles(), role) {
		p.diags.Errorf(RuleRole, n.Pos(), suggest(role, policy.KnownRoles(), "use one of "), "there is no role %s", quote(role))
	}
	return role
}

// route reads which inputs choose a role, and by which words.
func (p *jobParser) route(n strictyaml.Node) []Route {
	if n.Kind() == strictyaml.Absent || !p.mapping(n, "route") {
		return nil
	}
	var out []Route
	for i := range n.Len() {
		key, table := n.Entry(i)
		if _, known := p.input(key.Key()); !known {
			p.diags.Errorf(RuleTask, key.Pos(), suggest(key.Key(), p.inputNames(), "the inputs are "), "%s is no input of this workflow", quote(key.Key()))
		}
		if !p.mapping(table, "a route") {
			continue
		}
		if table.Len() > maxList {
			p.diags.Errorf(RuleTask, table.Pos(), "write fewer", "%d words, more than the %d allowed", table.Len(), maxList)
			continue
		}
		r := Route{Input: key.Key()}
		for k := range table.Len() {
			word, role := table.Entry(k)
			if !wordShape(word.Key()) {
				p.diags.Errorf(RuleTask, word.Pos(), "use lower-case letters, digits and '-'", "%s is no word to choose by", quote(word.Key()))
			}
			r.Table = append(r.Table, Choice{word.Key(), p.role(role, "a route")})
		}
		out = append(out, r)
	}
	return out
}

func (p *reader) questions(n strictyaml.Node) []Question {
	if n.Kind() == strictyaml.Absent || !p.mapping(n, "asks") {
		return nil
	}
	if n.Len() > maxList {
		p.diags.Errorf(RuleTask, n.Pos(), "ask less", "%d questions, more than the %d allowed", n.Len(), maxList)
		return nil
	}
	var out []Question
	for i := range n.Len() {
		key, text := n.Entry(i)
		if !wordShape(key.Key()) {
			p.diags.Errorf(RuleTask, key.Pos(), "use lower-case letters, digits and '-'", "%s is no name for a question", quote(key.Key()))
		}
		out = append(out, Question{key.Key(), p.short(text, "a question")})
	}
	return out
}
