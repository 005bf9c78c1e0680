package respond

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/agents/hook"
	"github.com/assent-dev/assent/engine/agents/skillsync"
	"github.com/assent-dev/assent/engine/agents/toolset"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/proposals/propose"
)

// Responder answers for one agent. Workspace is the folder of its workspace; with "", edits of
// governed files have no answer.
type Responder struct {
	Agent     *toolset.Agent
	Workspace string
}

// Answer returns the answer to an event; nil means no answer. With an error, the answer is the part
// that succeeded.
func (r Responder) Answer(ctx context.Context, e *hook.Event) ([]byte, error) {
	switch {
	case e.Name == hook.SessionStart:
		return r.welcome(ctx, e)
	case e.Name == hook.UserPromptSubmit:
		return within(ctx, patience, func(ctx context.Context) ([]byte, error) {
			out, err := r.suggest(ctx, e)
			return out, errors.Join(err, r.mentioned(ctx, e))
		})
	case len(e.Writes())+len(e.Wraps()) > 0:
		return within(ctx, patience, func(ctx context.Context) ([]byte, error) {
			if out, err := r.write(e); out != nil || err != nil || len(e.Wraps()) == 0 {
				return out, err
			}
			return r.byName(ctx, e)
		})
	case e.Name == hook.Stop:
		return within(ctx, patience, func(ctx context.Context) ([]byte, error) { return r.heard(ctx, e) })
	case e.Name == hook.PostToolUse:
		return within(ctx, patience, func(ctx context.Context) ([]byte, error) { return nil, r.read(ctx, e) })
	}
	return nil, nil
}

// welcome answers the start of a session. A workspace that cannot be read is part of the answer, and
// an error.
func (r Responder) welcome(ctx context.Context, e *hook.Event) ([]byte, error) {
	type greeting struct {
		soul string
		news []string
	}
	g, unread := within(ctx, patience, func(ctx context.Context) (g greeting, err error) {
		g.soul, g.news, err = r.Agent.Welcome(ctx)
		return g, err
	})
	name := r.Agent.Name
	if unread != nil {
		said, what := r.Agent.Explained(unread), "Tell the person that the workspace cannot be read: "
		if errors.As(unread, new(*propose.Unknown)) {
			name, what = "", "Tell the person: "
		}
		g.news = []string{what + said.What, said.Next}
	}
	out, err := e.Tell(hook.Start(name, g.soul, g.news))
	return out, errors.Join(unread, err)
}

// suggest adds the capabilities that fit a prompt.
func (r Responder) suggest(ctx context.Context, e *hook.Event) ([]byte, error) {
	found, err := r.Agent.Suggest(ctx, e.Asked())
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return e.Tell(hook.Suggest(suggestions(found)))
}

func suggestions(found []toolset.Match) []hook.Suggestion {
	var out []hook.Suggestion
	for _, m := range found {
		out = append(out, hook.Suggestion{Name: m.Name, Kind: string(m.Kind), Use: m.Use, Takes: m.Takes, Description: m.Description})
	}
	return out
}

// byName answers a command that runs code around capabilities.
func (r Responder) byName(ctx context.Context, e *hook.Event) ([]byte, error) {
	found, err := toolset.Callable(ctx, r.Agent, e.Wraps())
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return e.Tell(hook.ByName(suggestions(found)))
}

// refusal says why a file of a synced folder is not written there, "" if it may be.
func refusal(file string, kept skillsync.Kept) string {
	switch {
	case kept.Skill != "":
		return fmt.Sprintf("%s is a copy of the skill %s in force, and assent sync replaces it. Propose the change instead", file, kept.Skill)
	case kept.New:
		return fmt.Sprintf("%s would be new in a folder that assent sync keeps, and in use before anyone approved it. Propose the skill instead", file)
	}
	return ""
}

// write answers for the files that a tool is about to write, or has written.
func (r Responder) write(e *hook.Event) (out []byte, err error) {
	var damage error
	for _, name := range e.Writes() {
		file := absolute(e, name)
		kept, wrong := keeper(file, strings.HasSuffix(name, "/"))
		damage = errors.Join(damage, wrong)
		if why := refusal(file, kept); why != "" && e.Begins() {
			out, err = e.Deny(why + ": the tool propose of the server assent, with goal and files.")
			return out, errors.Join(damage, err)
		}
		in, wrong := r.governed(file)
		if damage = errors.Join(damage, wrong); in && out == nil {
			out, err = e.Tell(file + " is governed by assent: the edit has no effect until it is proposed, approved and merged. Propose it with the tool propose of the server assent.")
		}
	}
	return out, errors.Join(damage, err)
}

// mentioned records the synced skills whose text Codex adds to a prompt that mentions them.
func (r Responder) mentioned(ctx context.Context, e *hook.Event) (damage error) {
	for _, name := range e.Mentions() {
		for dir, at, found := e.Dir, "", false; dir != at && !found; dir = filepath.Dir(dir) { // Codex finds skills in the folders above, too
			at = dir
			var wrong error
			found, wrong = r.loaded(ctx, e, filepath.Join(dir, ".agents", "skills", name, names.SkillFile), func(string) bool { return true })
			damage = errors.Join(damage, wrong)
		}
	}
	return damage
}

// read records that a client's own tool has read a skill that assent sync keeps.
func (r Responder) read(ctx context.Context, e *hook.Event) (damage error) {
	file, skill := e.Reads()
	files, output := e.Shown()
	switch {
	case skill != "":
		return r.Agent.Read(ctx, r.Agent.Name, skill)
	case filepath.Base(file) == names.SkillFile: // scripts and references are not the skill's text
		_, damage = r.loaded(ctx, e, file, func(string) bool { return true })
	}
	for i, name := range files {
		if !slices.Contains(files[:i], name) {
			_, wrong := r.loaded(ctx, e, name, func(file string) bool { return shows(output, file) })
			damage = errors.Join(damage, wrong)
		}
	}
	return damage
}

// loaded records that the agent has read a file, if it is of a synced skill and was read, says a function, which sees no
// other files.
func (r Responder) loaded(ctx context.Context, e *hook.Event, file string, read func(string) bool) (bool, error) {
	file = absolute(e, file)
	kept, err := keeper(file, false)
	if kept.Skill != "" && read(file) {
		err = errors.Join(err, r.Agent.Read(ctx, r.Agent.Name, kept.Skill))
	}
	return kept.Skill != "", err
}
