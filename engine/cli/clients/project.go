package clients

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

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
	// settings is what the project's Git setting becomes: none removes it. It is nil if it stays.
	settings []string
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
		p.settings = []string{to} // the values of others stay, behind the one that counts
		for _, value := range p.others(m) {
			if value != to {
				p.settings = append(p.settings, value)
			}
		}
		m.Note(p.wrote(to), client, settings.Added{File: true})
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
	e.Note = misleads(e.After, top, of)
	return []install.Edit{e}, nil
}

// misleads says why others do not find a workspace by the project's file, "" if they do.
func misleads(src []byte, top string, of *gitstore.Repo) string {
	places, ds := project.Parse(src)
	if ds.HasErrors() {
		return "others cannot connect by it: " + ds[0].String()
	}
	ours, _ := project.Parse(project.Propose(top, of))
	found, other := false, places[0]
	for _, place := range places {
		same := len(ours) > 0 && ours[0].URL != "" && ours[0].URL == place.URL
		if repo, err := gitstore.Open(place.Dir(top)); err == nil { // connect takes it
			found, other = same || repo.CommonDir() == of.CommonDir(), place
			break
		}
		found = found || same
	}
	if found {
		return ""
	}
	return "it proposes another workspace to others: edit it, or connect with --workspace " + names.ForShell(other.Dir(top))
}

// unname plans the removal of what name added, once no client of the project needs it. A file that was edited
// stays.
func (p *connected) unname(m install.Memory) ([]install.Edit, error) {
	if p.repo == nil {
		return nil, nil
	}
	top := p.repo.Top()
	of, from, unset := project.Open(top)
	inRepo, inTop := p.connections(m)
	if !inRepo {
		if rest := p.others(m); len(rest) < len(p.repo.Own(project.Setting)) {
			p.settings = rest
		}
		maps.DeleteFunc(m, func(path string, _ install.Made) bool {
			return path == p.configFile() || strings.HasPrefix(path, p.wrote(""))
		})
	}
	e := install.Edit{Dir: top, Name: project.File}
	if inTop {
		return nil, nil
	}
	made := m[e.Path()].Added
	delete(m, e.Path())
	if !made.File || unset != nil || from == "" {
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

// wrote is where a value of the setting is recorded that connect wrote.
func (p *connected) wrote(value string) string { return p.configFile() + "#" + value }

// others are the values of the setting that connect did not write.
func (p *connected) others(m install.Memory) []string {
	values, rest := p.repo.Own(project.Setting), []string{}
	for _, value := range values {
		if !m.Has(p.wrote(value)) && (len(values) > 1 || !m.Has(p.configFile())) { // an earlier version recorded no value
			rest = append(rest, value)
		}
	}
	return rest
}

// connections reports whether a client is connected in a folder of the repository, and of this work tree.
func (p *connected) connections(m install.Memory) (inRepo, inTop bool) {
	for path, made := range m {
		for _, client := range made.Clients {
			dir, is := install.Where{Client: client}.Of(path)
			if !is {
				continue
			}
			if repo, err := gitstore.Open(dir); err == nil && repo.CommonDir() == p.repo.CommonDir() {
				inRepo, inTop = true, inTop || repo.Top() == p.repo.Top()
			}
		}
	}
	return inRepo, inTop
}

// settle writes the project's Git setting, or only tries whether Git could.
func (p *connected) settle(ctx context.Context, write bool) error {
	if p.settings == nil {
		return nil
	}
	steps := [][]string{{"--unset-all", project.Setting}}
	for i, value := range p.settings {
		if i == 0 {
			steps[0] = []string{"--replace-all", project.Setting, value}
			continue
		}
		steps = append(steps, []string{"--add", project.Setting, value})
	}
	lock := p.configFile() + ".lock" // Git makes it for each change
	err := install.Free(lock)
	for i := 0; write && err == nil && i < len(steps); i++ {
		_, err = console.Git(ctx, p.repo.Top(), append([]string{"config", "--local"}, steps[i]...)...)
	}
	if err != nil {
		return &console.Failure{
			Code: console.ExitWorld, Err: fmt.Errorf("nothing is written: set %s in %s: %w", project.Setting, p.configFile(), err),
			Hint: "make the folder writable for you; if no Git runs there, remove " + names.ForShell(lock) + "; then repeat the command",
		}
	}
	return nil
}

func (p *connected) shown() *settingJSON {
	if p.settings == nil {
		return nil
	}
	return &settingJSON{p.configFile(), project.Setting, append(p.settings, "")[0]}
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
