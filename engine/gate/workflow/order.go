package workflow

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/strictyaml"
)

// order sorts jobs so that each comes after those that it needs, ties by name (Kahn's
// algorithm), and reports needs that cannot be met.
func (p *jobParser) order(n strictyaml.Node, jobs []Job) []Job {
	order.Sort(jobs, func(a, b Job) int { return cmp.Compare(a.Name, b.Name) })
	var all []string
	for _, j := range jobs {
		all = append(all, j.Name)
	}
	p.knownNeeds(n, jobs, all)
	var done []Job
	ready := map[string]bool{}
	for len(jobs) > 0 {
		next := slices.IndexFunc(jobs, func(j Job) bool {
			return !slices.ContainsFunc(j.Needs, func(need string) bool { return !ready[need] && slices.Contains(all, need) })
		})
		if next < 0 {
			p.cycle(jobs)
			return append(done, jobs...)
		}
		ready[jobs[next].Name] = true
		done = append(done, jobs[next])
		jobs = slices.Delete(jobs, next, next+1)
	}
	return done
}

// knownNeeds reports needs that are no jobs.
func (p *jobParser) knownNeeds(n strictyaml.Node, jobs []Job, all []string) {
	for i, j := range jobs {
		for _, need := range j.Needs {
			if slices.Contains(all, need) {
				continue
			}
			if i > 0 && j.Of != "" && j.Of == jobs[i-1].Of { // reported for the first combination
				continue
			}
			fix := suggest(need, without(all, j.Name), "name one of the jobs: ")
			if strings.ContainsAny(need, ", ") {
				fix = "write a list, such as needs: [a, b]"
			}
			p.diags.Errorf(RuleNeeds, namePos(n, j, "needs", need), fix,
				"job %s needs %s, which this workflow does not have", quote(j.Name), quote(need))
		}
	}
}

func without(all []string, names ...string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return slices.Contains(names, s) })
}

// namePos finds where a field of job j names another job.
func namePos(n strictyaml.Node, j Job, field, name string) diag.Pos {
	list := n.Get(cmp.Or(j.Of, j.Name)).Get(field)
	for i := range list.Len() {
		if text, _ := list.Index(i).Text(); text == name {
			return list.Index(i).Pos()
		}
	}
	return list.Pos()
}

// notBy checks that the jobs of each not-by are tasks which are over when the job begins: otherwise
// an agent could take the job first and the other one after it.
func (p *jobParser) notBy(n strictyaml.Node, w Workflow) {
	before := map[string]map[string]bool{} // w.Jobs is in order, so that of each need it is known
	for _, j := range w.Jobs {
		before[j.Name] = map[string]bool{}
		for _, need := range j.Needs {
			before[j.Name][need] = true
			maps.Copy(before[j.Name], before[need])
		}
		for _, name := range j.NotBy {
			if of, _ := w.Job(name); of.Agent == "" || !before[j.Name][name] {
				p.diags.Errorf(RuleTask, namePos(n, j, "not-by", name), "name a job with agent: that "+j.Name+" needs, directly or through others",
					"not-by of job %s names %s, which is no task before it", quote(j.Name), quote(name))
			}
		}
	}
}

// cycle reports one cycle among jobs that cannot start. Each of them needs another of them,
// so following the first need of each leads back.
func (p *jobParser) cycle(stuck []Job) {
	byName := map[string]Job{}
	for _, j := range stuck {
		byName[j.Name] = j
	}
	var walk []string
	at := stuck[0].Name
	for !slices.Contains(walk, at) {
		walk = append(walk, at)
		at = byName[at].Needs[slices.IndexFunc(byName[at].Needs, func(need string) bool {
			_, waiting := byName[need]
			return waiting
		})]
	}
	walk = walk[slices.Index(walk, at):]
	p.diags.Errorf(RuleCycle, byName[at].Pos, "remove one of these needs",
		"jobs wait for each other: %s", strings.Join(append(walk, at), " needs "))
}
