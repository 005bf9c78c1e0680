package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"github.com/assent-dev/assent/engine/agents/project"
	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/flows/connect"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/hosted"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitrun"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/home"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/proposals/genesis"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
	"github.com/assent-dev/assent/engine/workspace/runlog"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// The exit codes, all of them.
const (
	ExitOK       = 0 // done, or nothing to do
	ExitFindings = 1 // the content is wrong: diagnostics say where
	ExitUsage    = 2 // the command line is wrong
	ExitRefused  = 3 // it is not allowed, or not now: the reasons are shown
	ExitWorld    = 4 // the world failed: a disk, a ref, a network
	ExitNothing  = 5 // nothing waits for the caller
)

// Failure is an error with its exit code, hint and diagnostics.
type Failure struct {
	Code  int
	Err   error
	Hint  string
	Diags diag.List
}

// ErrInterrupted is in the failure of an interrupted command whose hint says how to go on.
var ErrInterrupted = errors.New("interrupted")

func (f *Failure) Error() string { return f.Err.Error() }

func (f *Failure) Unwrap() error { return f.Err }

// Usage is an error in the command line.
func Usage(format string, args ...any) error {
	return &Failure{Code: ExitUsage, Err: fmt.Errorf(format, args...)}
}

// Findings makes an error of diagnostics that stopped a command.
func Findings(what string, diags diag.List) error {
	diags.Sort()
	return &Failure{Code: ExitFindings, Err: errors.New(what), Diags: diags}
}

// UsageFindings is Findings with the exit code for usage errors.
func UsageFindings(what string, diags diag.List) error {
	diags.Sort()
	return &Failure{Code: ExitUsage, Err: errors.New(what), Diags: diags}
}

// Refused returns an error for a forbidden action, or one not allowed now, with the way out.
func Refused(hint, format string, args ...any) error {
	return &Failure{Code: ExitRefused, Err: fmt.Errorf(format, args...), Hint: hint}
}

// Quiet returns an exit code for an error that was shown already.
func Quiet(code int) error { return &Failure{Code: code} }

// Classify returns an error's exit code and hint.
func Classify(err error) *Failure {
	var f *Failure
	if errors.As(err, &f) {
		return f
	}
	if program := new(*gitrun.Refusal); errors.As(err, program) {
		return &Failure{Code: ExitWorld, Err: err, Hint: (*program).Fix()}
	}
	if hint := Declined(err); hint != "" { // from any command that pushes
		return &Failure{Code: ExitRefused, Err: err, Hint: hint}
	}
	var halted *workspace.Halted
	if errors.As(err, &halted) {
		return &Failure{Code: ExitRefused, Err: halted, Hint: "a human lifts the stop with: assent stop --lift " + names.ShellWord(halted.Name) + ` --reason "WHY"` + "; to repair it: assent cat --even-stopped " + names.ShellWord(halted.Name)}
	}
	if hint := unwritable(err); hint != "" {
		return &Failure{Code: ExitWorld, Err: err, Hint: hint}
	}
	for _, known := range []struct {
		is   error
		code int
		hint string
	}{
		{context.Canceled, ExitWorld, "interrupted; acknowledged work is kept, and the command can be run again"},
		{gitstore.ErrNotRepository, ExitUsage, "go into a workspace, name its folder with -C, or make one: assent init"},
		{gitstore.ErrUnsupported, ExitUsage, ""},
		{gitstore.ErrAmbiguous, ExitUsage, ""},
		{gitstore.ErrOwner, ExitRefused, "or work in a clone of your own"},
		{gitstore.ErrEmbedded, ExitRefused, ""},
		{gitstore.ErrSymbolic, ExitRefused, "assent moves branches, but no symbolic refs"},
		{fs.ErrPermission, ExitWorld, "the file's owner can allow it; in a clone of your own everything works: assent clone"},
		{syscall.EROFS, ExitWorld, "the file system is read-only: work in a clone elsewhere: assent clone"},
		{syscall.ENOSPC, ExitWorld, "the disk is full: nothing was lost, and the command can be run again when there is room"},
		{syscall.EFBIG, ExitWorld, "a limit on the size of files prevents it (ulimit -f): nothing was lost, and the command can be run again without it"},
		{syscall.EDQUOT, ExitWorld, "your quota is used up: nothing was lost, and the command can be run again when there is room"},
		{attest.ErrNoGenesis, ExitUsage, "make it one: assent init"},
		{genesis.ErrMainLost, ExitRefused, "restore it instead of beginning again: git reflog names its last commit, git branch main COMMIT or git fetch origin refs/heads/main:refs/heads/main"},
		{attest.ErrNoMain, ExitUsage, "if there was one: git branch main COMMIT (git reflog names it), or git fetch origin refs/heads/main:refs/heads/main; else assent init"},
		{attest.ErrReplaced, ExitRefused, "find out who moved main: git reflog show main"},
		{exchange.ErrMovedBack, ExitRefused, "ask the operator of the remote who moved main there, and have it restored: git push --force REMOTE refs/heads/main from a clone that has it; what is in force here stays"},
		{attest.ErrRollback, ExitRefused, "assent pull brings a clone that is behind up to date; if that does not help, main was rolled back: git reflog show main tells by whom"},
		{forge.ErrNotFound, ExitUsage, "assent status --all lists closed and merged proposals, too"},
		{forge.ErrClosed, ExitRefused, "assent reopen ID"},
		{forge.ErrMerged, ExitRefused, "assent undo ID takes it back"},
		{forge.ErrExists, ExitRefused, ""},
		{triallog.ErrJournal, ExitWorld, "assent doctor --fix --remote puts back what can be read here and what the remote has"},
		{gitstore.ErrNoObject, ExitWorld, "if the clone is shallow: git fetch --unshallow; else git fsck tells what is missing"},
		{keys.ErrState, ExitWorld, "restore the file from a backup; without one, compare main with a checkpoint by a person you trust (assent audit verify --checkpoint FILE) before you use this workspace"},
		{keys.ErrMissing, ExitUsage, ""},
		{keys.ErrPassphrase, ExitUsage, "type it on a terminal; or give the key to an SSH agent (ssh-add) and name its .pub file in ASSENT_KEY"},
		{keys.ErrAgent, ExitWorld, "start one and give it the key: eval \"$(ssh-agent)\" and ssh-add; or name the private key in ASSENT_KEY"},
		{keys.ErrNotKey, ExitUsage, ""},
		{connect.ErrApp, ExitUsage, "docs/github.md says what an App needs; git config --unset assent.app and assent.appKey does without it"},
		{triallog.ErrDatabase, ExitWorld, "assent doctor says what waits; no recorded trial is lost"},
		{connect.ErrToken, ExitUsage, "set it again from its file, without the line's end: ASSENT_TOKEN=$(cat FILE)"},
		{connect.ErrElsewhere, ExitWorld, "see who changed .git/config: git config --list --show-origin; if the service did move: ASSENT_TOKEN_SERVER=ADDRESS names the servers that the token is for"},
		{hosted.ErrNoToken, ExitRefused, "set ASSENT_TOKEN, or let Git know a password: git credential approve, gh auth login; git config assent.forge local keeps pull requests in the repository alone"},
		{remote.ErrAway, ExitWorld, "nothing was lost: do it again when the server and the way to it are there; the local state can be read meanwhile (assent status, list, why)"},
		{remote.ErrCertificate, ExitWorld, "no login was sent; if the server is right, get its authority's certificate from its operator: git config --global http.sslCAInfo FILE; SSL_CERT_FILE=FILE for assent itself"},
		{remote.ErrLogin, ExitWorld, "a token or password that is wrong, expired or revoked: let Git know another one (git credential approve), or on a service set ASSENT_TOKEN; assent doctor tells what a token lacks"},
		{remote.ErrGone, ExitWorld, "git remote -v shows the address; if the repository moved, git remote set-url; if it is private, see that the token's account may read it"},
		{remote.ErrNoRemoteMain, ExitRefused, "if it is empty, assent push publishes yours; if its branch main was renamed, name it main again there"},
	} {
		if errors.Is(err, known.is) {
			return &Failure{Code: known.code, Err: err, Hint: known.hint}
		}
	}
	if away := new(*host.Away); errors.As(err, away) {
		return &Failure{Code: ExitWorld, Err: err, Hint: "the service fails, and nothing was refused: do it again in a while; what is recorded already shows in assent status, and is finished then"}
	}
	if denied := new(*host.Denied); errors.As(err, denied) && (*denied).Fix == "" {
		return &Failure{Code: ExitWorld, Err: err, Hint: "assent doctor looks at the login, and at what the service allows"}
	}
	if broken := new(attest.Broken); errors.As(err, &broken) {
		return &Failure{Code: ExitRefused, Err: broken, Hint: broken.WaysOut()}
	}
	var newer *workspace.NewerFormat
	if errors.As(err, &newer) { // without the context of the error, which is no help
		return &Failure{Code: ExitWorld, Err: newer}
	}
	var missing *project.Missing
	if errors.As(err, &missing) {
		return &Failure{Code: ExitUsage, Err: missing, Hint: "clone the workspace there, or name another clone: git config " + project.Setting + " DIR"}
	}
	var several *propose.Ambiguous
	if errors.As(err, &several) {
		return &Failure{Code: ExitUsage, Err: err, Hint: "give the whole id; if that begins another one: proposal/ID"}
	}
	var locked *gitstore.ErrLocked
	if errors.As(err, &locked) || strings.Contains(err.Error(), ".lock': File exists") { // the words of git
		return &Failure{Code: ExitWorld, Err: err, Hint: "a Git program is at work, or was killed: try again; if none is running, remove the file, or wait: from a minute on assent doctor says whether a program uses it, and after ten assent doctor --fix removes it"}
	}
	var untrusted *keys.Untrusted
	if errors.As(err, &untrusted) {
		return &Failure{Code: ExitRefused, Err: err, Hint: "assent trust, in the folder of the workspace, shows whose signatures decide there, and asks"}
	}
	return &Failure{Code: ExitWorld, Err: err}
}

// unwritable names the user's own folder if a file could not be written and that folder cannot be written either: a
// clone of the workspace would not help.
func unwritable(err error) string {
	if !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
		return ""
	}
	dir, wrong := keys.Home()
	if wrong != nil || home.At(dir).Writable() == nil {
		return ""
	}
	return "your own assent folder, " + dir + ", cannot be written: make it writable, or set ASSENT_HOME to a copy of it that is; a new folder knows none of your keys and of the workspaces that you accepted"
}

// errorJSON is the JSON of an error on standard error.
type errorJSON struct {
	Error       string    `json:"error"`
	Hint        string    `json:"hint"`
	Diagnostics diag.List `json:"diagnostics"`
}

// Show prints an error for a person or a machine and returns the exit code.
func Show(c *Console, err error) int {
	f := Classify(err)
	if f.Err == nil {
		return f.Code
	}
	if c.JSON {
		diags := f.Diags
		if diags == nil {
			diags = diag.List{}
		}
		enc := json.NewEncoder(c.World.Err)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		_ = enc.Encode(errorJSON{Error: f.Err.Error(), Hint: f.Hint, Diagnostics: diags})
		return f.Code
	}
	fmt.Fprintf(c.World.Err, "%s %s\n", c.Style.Bad("error:"), inset(strings.TrimSpace(f.Err.Error())))
	c.Diagnostics(c.World.Err, f.Diags)
	if f.Hint != "" {
		fmt.Fprintf(c.World.Err, "%s %s\n", c.Style.Dim("hint:"), inset(f.Hint))
	}
	return f.Code
}

// ExchangeFailed adds the remedy to the error of a pull or a push.
func ExchangeFailed(err error) error {
	var stale *gitstore.ErrStale
	switch {
	case errors.Is(err, exchange.ErrDiverged):
		return &Failure{Code: ExitRefused, Err: fmt.Errorf("%w; nothing was moved", err),
			Hint: "assent pull --replay makes the merges that only this clone has again, on top of the remote's main; --dry-run lists them"}
	case errors.Is(err, exchange.ErrPastGate), errors.Is(err, local.ErrPublished):
		return &Failure{Code: ExitRefused, Err: fmt.Errorf("%w; nothing was moved", err),
			Hint: "keep it on a branch (git branch mine refs/heads/main), and let main here be the remote's (git reset --keep); assent adopt proposes it again"}
	case errors.Is(err, remote.ErrNoRemote):
		return &Failure{Code: ExitUsage, Err: err, Hint: "git remote -v lists the remotes, git remote add NAME URL adds one"}
	case errors.Is(err, remote.ErrNoRemoteMain):
		return &Failure{Code: ExitRefused, Err: err, Hint: "assent push publishes yours"}
	case errors.Is(err, exchange.ErrOutrun):
		return &Failure{Code: ExitRefused, Err: err, Hint: "try again when there is less going on: assent push; if nothing is, a git that was killed there left a lock: assent doctor --remote names it if the remote is a folder of this machine, else remove the .lock file of the ref there"}
	case errors.As(err, &stale):
		return &Failure{Code: ExitRefused, Err: err, Hint: "another change came first: try again"}
	}
	return err
}

// Declined repeats the words of a remote that refused a push, and says what a protected main
// requires; empty if err is no such refusal.
func Declined(err error) string {
	var d *remote.ErrDeclined
	if !errors.As(err, &d) {
		return ""
	}
	hint := "ask the operator of the remote which pushes it allows"
	fields := slices.DeleteFunc(strings.Fields(OneLine(d.Words)), func(word string) bool { return word == "error:" })
	if len(fields) > 0 {
		hint = "the remote says: " + strings.Join(fields, " ")
	}
	if strings.Contains(d.Words, "bad object refs/") {
		return hint + "; git accepts no push while a ref there names nothing: assent doctor --fix --remote=" + names.ShellWord(d.Remote) + " repairs what it can, or says which file to remove there"
	}
	if slices.ContainsFunc(d.Refs, func(r remote.DeclinedRef) bool { return r.Ref == attest.MainRef }) {
		hint += "; main moves by an account that must be allowed to push to main there"
	}
	if slices.ContainsFunc(d.Refs, func(r remote.DeclinedRef) bool { return strings.HasPrefix(r.Ref, runlog.Prefix) }) {
		hint += "; assent run and assent task keep a step in this clone with --local"
	}
	return hint
}

// Stale explains a lost race.
func Stale(err error) error {
	var s *forge.ErrStale
	if errors.As(err, &s) {
		return Refused("look at it again: assent show ID", "%s", err)
	}
	return err
}
