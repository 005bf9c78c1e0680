package clients

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/assent-dev/assent/engine/agents/mcpserver"
	"github.com/assent-dev/assent/engine/agents/toolset"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/tools/tool"
	"github.com/assent-dev/assent/engine/workspace"
)

// maxTokens bounds a file of tokens, in bytes.
const maxTokens = 64 << 10

// OverHTTP serves agents' clients over HTTP as mcp does over streams, each by its token in a file that is
// the operator's own. notify is called after each change.
func OverHTTP(c *console.Console, cur workspace.Session, file string, notify func(context.Context, *console.Console)) (http.Handler, error) {
	text, err := keys.ReadOwn(file, maxTokens, cur.Repo.CommonDir(), cur.Repo.Top())
	if err != nil {
		return nil, &console.Failure{Code: console.ExitUsage, Err: err}
	}
	tokens, err := mcpserver.ParseTokens(text)
	if errors.Is(err, mcpserver.ErrTokens) {
		return nil, &console.Failure{Code: console.ExitUsage, Err: fmt.Errorf("%s: %w", file, err)}
	}
	if err != nil {
		return nil, err
	}
	for _, t := range tokens {
		if !propose.Known(cur, t.Agent) {
			return nil, console.Usage("%s:%d: %q is no agent of this workspace; the agents are %s", file, t.Line, t.Agent, console.Words(propose.Agents(cur)))
		}
	}
	client := console.New(c.World)
	client.Dir, client.Log = c.Dir, console.Logger(c)
	client.World.Unattended = nil // as for mcp: no person's key signs for a client
	return mcpserver.HTTP(tokens, func(t mcpserver.Token) mcpserver.Settings {
		a := &toolset.Agent{Name: t.Agent, Session: "mcp-" + t.Name(), Program: programOf(client, notify, &tool.Warm{})}
		a.Model, a.Mission = "", "" // those of the environment are not a client's
		engine := a.Engine
		a.Engine = func(cur workspace.Session, agent, session string) (*tool.Engine, error) {
			return engine(cur, agent, session+"-"+c.World.Now().UTC().Format(time.DateOnly)) // a token's session is a day
		}
		return mcpserver.Settings{Agent: a, Log: client.Log}
	}, client.Log)
}
