package doctor

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// serviceCheck looks at the service that shows pull requests.
type serviceCheck struct {
	*examination
	host host.Host
	main host.Protection
}

// checkService reports whether the service answers, how it protects main, and who may
// attest the decisions of its accounts.
func checkService(e *examination) {
	h, hosted, err := e.Service(e.ctx, e.w)
	switch {
	case err != nil:
		e.broke("service", err)
	case !hosted:
	case h == nil:
		e.warn("service", "set ASSENT_TOKEN, let Git know a password for the server, or on GitHub name an App (docs/github.md)", "no login: everything can be read and nothing changed")
	default:
		(&serviceCheck{examination: e, host: h.Impatient()}).run()
	}
}

func (e *serviceCheck) run() {
	e.rights()
	login, err := e.host.Login(e.ctx)
	if err != nil {
		e.refused(err)
		return
	}
	e.ok("service", "%s, as %s", e.host.Name(), login)
	e.witness()
	e.main, err = e.host.Protection(e.ctx, "main")
	switch {
	case errors.Is(err, host.ErrUnknown):
		e.warn("protection", "run assent doctor once with an administrator's token", "%s does not show %s the protection of main", e.host.Name(), login)
	case err != nil:
		e.refused(err)
	default:
		e.protection()
		e.required()
		e.merges(login)
	}
}

// rights reports the rights that the login lacks. An invalid login fails the next request.
func (e *serviceCheck) rights() {
	lacks, err := e.host.Lacks(e.ctx)
	var denied *host.Denied
	switch {
	case errors.Is(err, host.ErrUnknown):
		e.warn("rights", "docs/github.md and docs/gitea.md list them", "%s does not show the rights of this login", e.host.Name())
	case errors.As(err, &denied):
	case err != nil:
		e.broke("rights", err)
	case len(lacks) == 0:
		e.ok("rights", "the login has all rights that the engine needs")
	}
	for _, l := range lacks {
		e.fail("rights", l.Fix, "the login lacks %s, for %s", l.Right, l.For)
	}
}

// refused reports a refusal of the service, with its fix.
func (e *serviceCheck) refused(err error) {
	var denied *host.Denied
	if errors.As(err, &denied) {
		e.fail("service", denied.Fix, "%s: the service refused: %s", denied.Doing, denied.Said)
		return
	}
	e.broke("service", err)
}

func (e *serviceCheck) protection() {
	p := e.main
	const fix = "protect main: pushes by the account that merges only, never by force; docs/services.md has the settings"
	sound := true
	flaw := func(status func(check, fix, format string, args ...any) *Finding, fix, what string) {
		sound = false
		status("protection", fix, "%s", what)
	}
	switch {
	case !p.Protected:
		flaw(e.fail, fix, "main is not protected: anyone who may write can push past the gate")
	case p.PushAll:
		flaw(e.fail, fix, "everyone who may write can push to main")
	case len(p.Push) == 0 && e.asks():
	case len(p.Push) == 0:
		flaw(e.warn, byService, "no account may push to main, so nothing can be merged by a push")
	}
	if p.Protected && (p.ForcePush || p.Delete) {
		flaw(e.fail, fix, "main can be rewritten or deleted")
	}
	if p.Squash {
		flaw(e.warn, "turn squash, rebase and fast-forward merging off", "the merge button can create commits that are no merges; only a merge or a squashed one can be attested afterwards")
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

// required reports whether main's protection requires the check of validation. The gate does
// not need it; the service's own merge button and queue do.
func (e *serviceCheck) required() {
	p := e.main
	const fix = "require the status " + host.CheckName + " in the protection of main; docs/services.md has the settings"
	approvals := fmt.Sprintf("approvals: %d", p.Approvals)
	switch {
	case !p.Protected:
	case !slices.Contains(p.Checks, host.CheckName) && e.asks():
		e.fail("required check", fix, "the service makes the merges, and main does not require the status %s: it can merge what validation refused", host.CheckName)
	case !slices.Contains(p.Checks, host.CheckName):
		e.warn("required check", fix, "main does not require the status %s: the merge button can merge what validation refused, and such a merge is not in force", host.CheckName)
	case p.AnySource:
		e.warn("required check", "name the engine's App, or GitHub Actions, as its source; docs/github.md has the settings", "main requires the status %s from any source: anyone who may write a status can set it", host.CheckName)
	case p.CheckFrom != "":
		e.ok("required check", "main requires the status %s, from %s; %s", host.CheckName, p.CheckFrom, approvals)
	default:
		e.ok("required check", "main requires the status %s; %s", host.CheckName, approvals)
	}
}

const byService = "let the service make the merges: git config assent.merge service (or queue); or let the account that merges push to main"

// asks reports that the service makes the merges.
func (e *serviceCheck) asks() bool {
	return !slices.Contains([]string{"", "push"}, e.w.Repo.Config("assent.merge"))
}

// merges reports who merges if this login may not push.
func (e *serviceCheck) merges(login string) {
	p := e.main
	may := slices.ContainsFunc(p.Push, func(who string) bool { return strings.EqualFold(who, login) })
	switch {
	case e.asks():
		e.ok("merging", "the service makes the merges, and a witness attests them")
	case len(p.Push) > 0 && !may:
		e.ok("merging", "%s may not push to main: another machine merges, or, with git config assent.merge service, the service does", login)
	}
}

// witness looks for a key that may attest unsigned reviews.
func (e *serviceCheck) witness() {
	service := e.host.Name()
	roles := e.cur.Policies.Roles
	for _, id := range roles.All() {
		if roles.Has(id, policy.Witness) && len(id.Keys) > 0 && !id.Expired(e.Now()) {
			e.ok("witness", "%s vouches for decisions of accounts on %s", id.Name, service)
			return
		}
	}
	e.warn("witness", "assent roles add NAME --role witness, for the merging key", "no key may vouch for decisions on %s: only signed reviews merge", service)
}
