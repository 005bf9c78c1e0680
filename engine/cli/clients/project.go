package clients

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/assent-dev/assent/engine/agents/install"
	"github.com/assent-dev/assent/engine/agents/project"
	"github.com/assent-dev/assent/engine/agents/settings"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// connected is the project whose client is connected or disconnected. repo is nil outside of a
// repository and for the user's own files: then the client's settings name the workspace themselves.
type connected struct {
	connecting bool // else it is disconnected
	repo       *gitstore.Repo
	// setting is what the project's Git setting becomes: "" removes it. It is nil if it stays.
	setting *string
}

// settingJSON is the project's Git setting for machines.
type settingJSON struct {
	File  string `json:"file"`
	Key   string `json:"key"`
	Value string `json:"value"`
}

func (o connectOptions) projectOf(c *console.Console) (*connected, error) {
	if o.user {
		return &connected{}, nil
	}
	repo, err := gitstore.Open(c.Dir)
	if errors.Is(err, gitstore.ErrNotRepository) {
		return &connected{}, nil
	}
	return &connected{repo: repo}, err
}

// session opens the workspace of --workspace, else the one that the project's setting names, else the
// project's own, else the first of its file that is on this machine.
func (p *connected) session(ctx context.Context, c *console.Console, o connectOptions) (workspace.Session, error) {
	cur, err := o.session(ctx, c)
	if o.workspace != "" || p.repo == nil || !errors.Is(err, attest.ErrNoGenesis) && !errors.Is(err, attest.ErrNoMain) {
		return cur, err
	}
	top := p.repo.Top()
	src, unread := home.At(top).Read(project.File, project.MaxFile)
	if errors.Is(unread, fs.ErrNotExist) {
		return cur, &console.Failure{Code: console.ExitUsage, Err: err, Hint: "name the workspace with --workspace DIR, or make one: assent init"}
	}
	if unread != nil {
		return cur, fmt.Errorf("read %s: %w", filepath.Join(top, project.File), unread)
	}
	places, ds := project.Parse(src)
	if ds.HasErrors() {
		return cur, console.Findings(filepath.Join(top, project.File)+" names no workspace", ds)
	}
	hint := "name a clone of the workspace with --workspace DIR"
	for _, place := range places {
		if _, err := gitstore.Open(place.Dir(top)); err == nil {
			o.workspace = place.Dir(top)
			return o.session(ctx, c)
		}
		if place.URL != "" {
			hint = "assent clone " + names.ForShell(place.URL) + " " + names.ForShell(place.Dir(top)) + ", then connect again"
		}
	}
	return cur, &console.Failure{Code: console.ExitUsage, Err: fmt.Errorf("no workspace of %s is on this machine", filepath.Join(top, project.File)), Hint: hint}
}

// name plans that the project names the workspace: in its Git setting, and in its file if there is none.
func (p *connected) name(m install.Memory, client install.Client, of *gitstore.Repo) ([]install.Edit, error) {
	if p.repo == nil || p.repo.CommonDir() == of.CommonDir() {
		return nil, nil
	}
	top, to := p.repo.Top(), of.Top()
	if now, from, err := project.Open(top); err != nil || from == "" || now.Top() != to {
		p.setting = &to
		m.Note(p.configFile(), client, settings.Added{File: true})
	} else if m.Has(p.configFile()) {
		m.Note(p.configFile(), client, settings.Added{})
	}
	e := install.Edit{Dir: top, Name: project.File}
	before, err := home.At(top).Read(project.File, project.MaxFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read %s: %w", e.Path(), err)
	}
	e.Before, e.After = before, before
	if before == nil {
		if e.After = project.Propose(top, of); e.After == nil {
			return nil, nil
		}
	}
	m.Note(e.Path(), client, settings.Added{File: before == nil})
	return []install.Edit{e}, nil
}

// unname plans the removal of what name added, once no client of the project needs it. A file that was edited
// stays.
func (p *connected) unname(m install.Memory, client install.Client) ([]install.Edit, error) {
	if p.repo == nil {
		return nil, nil
	}
	top := p.repo.Top()
	of, from, unset := project.Open(top)
	if made, others := m.Forget(p.configFile(), client); made.File && !others {
		none := ""
		p.setting = &none
	}
	e := install.Edit{Dir: top, Name: project.File}
	made, others := m.Forget(e.Path(), client)
	if !made.File || others || unset != nil || from == "" {
		return nil, nil
	}
	before, err := home.At(top).Read(project.File, project.MaxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", e.Path(), err)
	}
	if !bytes.Equal(before, project.Propose(top, of)) {
		return nil, nil
	}
	e.Before = before
	return []install.Edit{e}, nil
}

func (p *connected) configFile() string { return filepath.Join(p.repo.CommonDir(), "config") }

// settle writes the project's Git setting.
func (p *connected) settle(ctx context.Context) error {
	if p.setting == nil {
		return nil
	}
	args := []string{"config", "--local", "--replace-all", project.Setting, *p.setting}
	if *p.setting == "" {
		args = []string{"config", "--local", "--unset-all", project.Setting}
		if len(p.repo.Own(project.Setting)) == 0 {
			return nil
		}
	}
	if _, err := console.Git(ctx, p.repo.Top(), args...); err != nil {
		return fmt.Errorf("set %s in %s: %w", project.Setting, p.configFile(), err)
	}
	return nil
}

func (p *connected) shown() *settingJSON {
	if p.setting == nil {
		return nil
	}
	return &settingJSON{p.configFile(), project.Setting, *p.setting}
}

// onPath is the program's bare name if a shell finds this program by it, else its path.
func onPath(program string) string {
	found, err := exec.LookPath("assent")
	if err != nil {
		return program
	}
	a, err := os.Stat(found)
	if err != nil {
		return program
	}
	if b, err := os.Stat(program); err != nil || !os.SameFile(a, b) {
		return program
	}
	return "assent"
}
