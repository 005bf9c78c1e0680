package toolset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/soul"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Welcome returns the context that an agent needs when a session begins: its SOUL.md in force, ""
// if it has none, and a line for each piece of news. An error after the identity was read comes with it. A name that the
// workspace does not know is a *propose.Unknown.
func (a *Agent) Welcome(ctx context.Context) (identity string, news []string, err error) {
	cur, err := a.Look(ctx)
	if err != nil {
		return "", nil, err
	}
	switch {
	case a.Name == "":
		news = append(news, "This session names no agent, so it cannot propose. Tell the person to run: assent connect CLIENT --agent NAME")
	case !propose.Known(cur, a.Name):
		return "", nil, &propose.Unknown{Agent: a.Name, Agents: propose.Agents(cur)}
	}
	text, err := cur.View.Read(string(names.SoulArea) + "/" + a.Name + "/SOUL.md")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", nil, err
	}
	now, err := a.standing(ctx, cur, recorded)
	if err != nil {
		return string(text), nil, err
	}
	var kinds []string
	for _, k := range capability.Kinds() {
		if n := now.Active[k]; n > 0 {
			kinds = append(kinds, fmt.Sprintf("%d of kind %s", n, k))
		}
	}
	if len(kinds) > 0 {
		news = append(news, "In force for you: "+strings.Join(kinds, ", ")+". Look with find before you build, and call tools by name.")
	}
	if now.Active[capability.KindMCP] > 0 { // the learned lists say of every capability: call it by name
		news = append(news, "A server (kind mcp) is called by its methods: load it to see them, and call SERVER__METHOD.")
	}
	for _, p := range now.Open {
		news = append(news, fmt.Sprintf("Your proposal %s is %s.", p.ID, p.State))
	}
	for _, r := range now.Runs { // the reason is text of others; the tool status has it as data
		switch {
		case r.Approve != "":
			news = append(news, fmt.Sprintf("Tell the person: your request %s waits for an approval: %s", r.Run, r.Approve))
		case r.Lacks != "":
			news = append(news, fmt.Sprintf("Tell the person: your request %s cannot go on: %s", r.Run, r.Lacks))
		case r.State != "active":
			news = append(news, fmt.Sprintf("Your request %s %s; status says more.", r.Run, run.Outcome(r.State).Phrase()))
		}
	}
	stops, err := cur.Stops(ctx)
	if err != nil {
		return string(text), nil, err
	}
	learned, _ := soul.ReadLearned(text) // an entry that cannot be read names nothing
	for _, e := range learned {
		if held, stopped := stops.Of(names.Fold(e.Name)); stopped {
			news = append(news, held.Refusal(e.Name)+". Do not use it.")
		}
	}
	for _, p := range now.Problems {
		news = append(news, "Tell the person: "+p)
	}
	return string(text), news, nil
}
