package doctor

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// service looks at the service that shows pull requests: whether it can be asked, what
// it lets happen to main, and who may vouch for what it shows.
func (e *examination) service() {
	h, hosted, err := e.Service(e.ctx, e.w)
	switch {
	case err != nil:
		e.broke("service", err)
		return
	case !hosted:
		return
	case h == nil:
		e.warn("service", "set ASSENT_TOKEN, let Git know a password for the server, or on GitHub name an App (docs/github.md)", "nobody is logged in: everything can be read and nothing changed")
		return
	}
	e.rights(h)
	ctx := host.Glance(e.ctx)
	login, err := h.Login(ctx)
	if err != nil {
		e.refused(err)
		return
	}
	e.ok("service", "%s, as %s", h.Name(), login)
	e.witness(h.Name())
	p, err := h.Protection(ctx, "main")
	switch {
	case errors.Is(err, host.ErrUnknown):
		e.warn("protection", "run assent doctor once with an administrator's token", "%s does not tell %s how main is protected", h.Name(), login)
	case err != nil:
		e.refused(err)
	default:
		e.protection(p)
		e.required(p)
		e.merges(p, login)
	}
}

// rights tells what the login lacks. One that is not valid at all is told of by what is asked
// next.
func (e *examination) rights(h host.Host) {
	lacks, err := h.Lacks(host.Glance(e.ctx))
	var denied *host.Denied
	switch {
	case errors.Is(err, host.ErrUnknown):
		e.warn("rights", "docs/github.md and docs/gitea.md list them", "%s does not tell what this login may do", h.Name())
	case errors.As(err, &denied):
	case err != nil:
		e.broke("rights", err)
	case len(lacks) == 0:
		e.ok("rights", "the login may do all that the engine asks for")
	}
	for _, l := range lacks {
		e.fail("rights", l.Fix, "the login lacks %s, for %s", l.Right, l.For)
	}
}

// refused tells what a service refused, with what to do about it.
func (e *examination) refused(err error) {
	var denied *host.Denied
	if errors.As(err, &denied) {
		e.fail("service", denied.Fix, "%s: the service refused: %s", denied.Doing, denied.Said)
		return
	}
	e.broke("service", err)
}

func (e *examination) protection(p host.Protection) {
	const fix = "protect main: pushes by the account that merges only, never by force; docs/services.md has the settings"
	sound := true
	flaw := func(status func(check, fix, format string, args ...any) *Finding, fix, what string) {
		sound = false
		status("protection", fix, "%s", what)
	}
	switch {
	case !p.Protected:
		flaw(e.fail, fix, "main is not protected: whoever may write can push past the gate")
	case p.PushAll:
		flaw(e.fail, fix, "everybody who may write can push to main")
	case len(p.Push) == 0 && e.asks():
	case len(p.Push) == 0:
		flaw(e.warn, byService, "nobody may push to main, so that nothing can be merged by a push")
	}
	if p.Protected && (p.ForcePush || p.Delete) {
		flaw(e.fail, fix, "main can be rewritten or deleted")
	}
	if p.Squash {
		flaw(e.warn, "turn squash, rebase and fast-forward merging off", "the merge button can leave commits that are no merges; only a merge or a squashed one can be attested afterwards")
	}
	if !p.ManualMerge {
		flaw(e.warn, "allow that pull requests are marked as manually merged", "a merge will show as a closed pull request, with a comment that names it")
	}
	switch {
	case sound && len(p.Push) == 0:
		e.ok("protection", "main moves by merges of the service only")
	case sound:
		e.ok("protection", "main moves by pushes of %s only", strings.Join(p.Push, ", "))
	}
}

// required looks at whether main's protection asks for the check of validation. The gate
// decides without it; the service's own merge button and queue do not.
func (e *examination) required(p host.Protection) {
	const fix = "require the status " + host.CheckName + " in the protection of main; docs/services.md has the settings"
	approvals := fmt.Sprintf("approvals: %d", p.Approvals)
	switch {
	case !p.Protected:
	case !slices.Contains(p.Checks, host.CheckName) && e.asks():
		e.fail("required check", fix, "the service makes the merges, and main does not require the status %s: it can merge what validation refused", host.CheckName)
	case !slices.Contains(p.Checks, host.CheckName):
		e.warn("required check", fix, "main does not require the status %s: the merge button can merge what validation refused, which is then in force for nobody", host.CheckName)
	case p.AnySource:
		e.warn("required check", "name the engine's App, or GitHub Actions, as its source; docs/github.md has the settings", "main requires the status %s from any source: whoever may write a status can give it", host.CheckName)
	case p.CheckFrom != "":
		e.ok("required check", "main requires the status %s, from %s; %s", host.CheckName, p.CheckFrom, approvals)
	default:
		e.ok("required check", "main requires the status %s; %s", host.CheckName, approvals)
	}
}

const byService = "let the service make the merges: git config assent.merge service (or queue); or let the account that merges push to main"

// asks says that the service makes the merges.
func (e *examination) asks() bool {
	return !slices.Contains([]string{"", "push"}, e.w.Repo.Config("assent.merge"))
}

// merges says who makes merges, where this login may not push.
func (e *examination) merges(p host.Protection, login string) {
	may := slices.ContainsFunc(p.Push, func(who string) bool { return strings.EqualFold(who, login) })
	switch {
	case e.asks():
		e.ok("merging", "the service makes the merges, and a witness attests them")
	case len(p.Push) > 0 && !may:
		e.ok("merging", "%s may not push to main: somebody else's machine merges, or, with git config assent.merge service, the service does", login)
	}
}

// witness looks for somebody who may vouch for reviews that are not signed.
func (e *examination) witness(service string) {
	roles := e.cur.Policies.Roles
	for _, id := range roles.All() {
		if roles.Has(id, policy.Witness) && len(id.Keys) > 0 && !id.Expired(e.Now()) {
			e.ok("witness", "%s vouches for what accounts decide on %s", id.Name, service)
			return
		}
	}
	e.warn("witness", "assent roles add NAME --role witness, for whoever's key merges", "no key may vouch for decisions on %s: only signed reviews merge", service)
}
