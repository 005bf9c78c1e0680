package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/flows/connect"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/hosted"
	"github.com/assent-dev/assent/engine/git/gitrun"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/proposals/genesis"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// The exit codes, all of them.
const (
	exitOK       = 0 // done, or nothing to do
	exitFindings = 1 // the content is wrong: diagnostics say where
	exitUsage    = 2 // the command line is wrong
	exitRefused  = 3 // it is not allowed, or not now: the reasons are shown
	exitWorld    = 4 // the world failed: a disk, a ref, a network
	exitNothing  = 5 // nothing waits for whoever asked
)

// failure is an error that knows how it is shown.
type failure struct {
	code  int
	err   error
	hint  string
	diags diag.List
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func usage(format string, args ...any) error {
	return &failure{code: exitUsage, err: fmt.Errorf(format, args...)}
}

// findings makes an error of diagnostics that stopped a command.
func findings(what string, diags diag.List) error {
	diags.Sort()
	return &failure{code: exitFindings, err: errors.New(what), diags: diags}
}

func refused(hint, format string, args ...any) error {
	return &failure{code: exitRefused, err: fmt.Errorf(format, args...), hint: hint}
}

// quiet is an exit code for what was shown already.
func quiet(code int) error { return &failure{code: code} }

// classify finds out how an error is shown: the code, and what to do about it.
func classify(err error) *failure {
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	if program := new(*gitrun.Refusal); errors.As(err, program) {
		return &failure{code: exitWorld, err: err, hint: (*program).Fix()}
	}
	var halted *workspace.Halted
	if errors.As(err, &halted) {
		return &failure{code: exitRefused, err: halted, hint: "a human lifts the stop with: assent stop --lift " + halted.Name + ` --reason "WHY"` + "; to repair it: assent cat --even-stopped " + halted.Name}
	}
	for _, known := range []struct {
		is   error
		code int
		hint string
	}{
		{context.Canceled, exitWorld, "interrupted; what was acknowledged is kept, and the command can be run again"},
		{gitstore.ErrNotRepository, exitUsage, "go into a workspace, name its folder with -C, or make one: assent init"},
		{gitstore.ErrUnsupported, exitUsage, ""},
		{gitstore.ErrAmbiguous, exitUsage, ""},
		{gitstore.ErrOwner, exitRefused, "or work in a clone of your own"},
		{gitstore.ErrSymbolic, exitRefused, "assent moves branches and none that only follow others"},
		{fs.ErrPermission, exitWorld, "whoever owns the file can allow it; in a clone of your own everything works: assent clone"},
		{syscall.EROFS, exitWorld, "the file system is read-only: work in a clone elsewhere: assent clone"},
		{syscall.ENOSPC, exitWorld, "the disk is full: nothing was lost, and the command can be run again when there is room"},
		{syscall.EFBIG, exitWorld, "a limit on the size of files stands in the way (ulimit -f): nothing was lost, and the command can be run again without it"},
		{syscall.EDQUOT, exitWorld, "your quota is used up: nothing was lost, and the command can be run again when there is room"},
		{attest.ErrNoGenesis, exitUsage, "make it one: assent init"},
		{genesis.ErrMainLost, exitRefused, "bring it back instead of beginning anew: git reflog names its last commit, git branch main COMMIT or git fetch origin main:main"},
		{attest.ErrNoMain, exitUsage, "if there was one: git branch main COMMIT (git reflog names it), or git fetch origin main:main; else assent init"},
		{attest.ErrReplaced, exitRefused, "find out who moved main: git reflog show main"},
		{exchange.ErrMovedBack, exitRefused, "ask whoever runs the remote who moved main there, and have it put back: git push --force REMOTE main from a clone that has it; what is in force here stays"},
		{attest.ErrRollback, exitRefused, "assent pull brings a clone that is behind up to date; if that does not help, main was rolled back: git reflog show main tells by whom"},
		{forge.ErrNotFound, exitUsage, "assent status lists the open proposals, assent status --all every one"},
		{forge.ErrClosed, exitRefused, "assent reopen ID"},
		{forge.ErrMerged, exitRefused, "assent undo ID takes it back"},
		{forge.ErrExists, exitRefused, ""},
		{gitstore.ErrNoObject, exitWorld, "if the clone is shallow: git fetch --unshallow; else git fsck tells what is missing"},
		{keys.ErrState, exitWorld, "restore the file from a backup; without one, compare main with a checkpoint of somebody you trust (assent audit verify --checkpoint FILE) before you use this workspace"},
		{keys.ErrMissing, exitUsage, ""},
		{keys.ErrPassphrase, exitUsage, "type it on a terminal; or give the key to an SSH agent (ssh-add) and name its .pub file with --key"},
		{keys.ErrAgent, exitWorld, "start one and give it the key: eval \"$(ssh-agent)\" and ssh-add; or name the private key with --key"},
		{keys.ErrNotKey, exitUsage, ""},
		{connect.ErrApp, exitUsage, "docs/github.md says what an App needs; git config --unset assent.app and assent.appKey does without it"},
		{connect.ErrToken, exitUsage, "set it anew from its file, without the line's end: ASSENT_TOKEN=$(cat FILE)"},
		{connect.ErrElsewhere, exitWorld, "see who changed .git/config: git config --list --show-origin; if the service did move: ASSENT_TOKEN_SERVER=ADDRESS names the servers that the token is for"},
		{hosted.ErrNoToken, exitRefused, "set ASSENT_TOKEN, or let Git know a password: git credential approve, gh auth login; git config assent.forge local keeps pull requests in the repository alone"},
		{remote.ErrAway, exitWorld, "nothing was lost: do it again when the server and the way to it are there; what is known here can be read meanwhile (assent status, list, why)"},
		{remote.ErrLogin, exitWorld, "a token or password that is wrong, expired or revoked: set ASSENT_TOKEN, or let Git know another one (git credential approve); assent doctor tells what a token lacks"},
		{remote.ErrGone, exitWorld, "git remote -v shows the address; if the repository moved, git remote set-url; if it is private, see that the token's account may read it"},
		{remote.ErrNoRemoteMain, exitRefused, "if it is empty, assent push publishes yours; if its branch main was renamed, name it main again there"},
	} {
		if errors.Is(err, known.is) {
			return &failure{code: known.code, err: err, hint: known.hint}
		}
	}
	if away := new(*host.Away); errors.As(err, away) {
		return &failure{code: exitWorld, err: err, hint: "the service fails, and nothing was refused: do it again in a while; what is recorded already shows in assent status, and is finished then"}
	}
	if denied := new(*host.Denied); errors.As(err, denied) && (*denied).Fix == "" {
		return &failure{code: exitWorld, err: err, hint: "assent doctor looks at the login, and at what the service allows"}
	}
	if broken := new(attest.Broken); errors.As(err, &broken) {
		return &failure{code: exitRefused, err: broken, hint: broken.WaysOut()}
	}
	var newer *workspace.NewerFormat
	if errors.As(err, &newer) { // the sentence by itself: where it was met helps nobody
		return &failure{code: exitWorld, err: newer}
	}
	var several *propose.Ambiguous
	if errors.As(err, &several) {
		return &failure{code: exitUsage, err: err, hint: "give more of the id"}
	}
	var locked *gitstore.ErrLocked
	if errors.As(err, &locked) {
		return &failure{code: exitWorld, err: err, hint: "if no Git command is running, assent doctor tells whether the lock is stale, and assent doctor --fix removes one that nobody holds"}
	}
	return &failure{code: exitWorld, err: err}
}

// errorJSON is what a machine gets on standard error.
type errorJSON struct {
	Error       string    `json:"error"`
	Hint        string    `json:"hint"`
	Diagnostics diag.List `json:"diagnostics"`
}

// show prints an error for a person or a machine and returns the exit code.
func (c *console) show(err error) int {
	f := classify(err)
	if f.err == nil {
		return f.code
	}
	if c.json {
		diags := f.diags
		if diags == nil {
			diags = diag.List{}
		}
		enc := json.NewEncoder(c.world.Err)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		_ = enc.Encode(errorJSON{Error: f.err.Error(), Hint: f.hint, Diagnostics: diags})
		return f.code
	}
	fmt.Fprintf(c.world.Err, "%s %s\n", c.style.bad("error:"), inset(strings.TrimSpace(f.err.Error())))
	c.diagnostics(c.world.Err, f.diags)
	if f.hint != "" {
		fmt.Fprintf(c.world.Err, "%s %s\n", c.style.dim("hint:"), inset(f.hint))
	}
	return f.code
}
