package mcpserver

import (
	"context"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-dev/assent/engine/agents/toolset"
	"github.com/assent-dev/assent/engine/base/names"
)

// skillsExtension is the Skills extension of the protocol (SEP-2640), which the library does not
// know: its methods are custom ones here.
const skillsExtension = "io.modelcontextprotocol/skills"

// pageSize bounds a page of skills.
const pageSize = 100

// listSkills is the request skills/list.
type listSkills struct {
	mcp.ParamsBase
	Cursor string `json:"cursor,omitempty"`
}

// skillsPage is its result. The state in force can change at any time, so it must not be
// cached.
type skillsPage struct {
	mcp.ResultBase
	ResultType string             `json:"resultType"`
	Skills     []toolset.Manifest `json:"skills"`
	NextCursor string             `json:"nextCursor,omitempty"`
	TTL        int                `json:"ttlMs"`
	CacheScope string             `json:"cacheScope"`
}

// getSkill is the request skills/get.
type getSkill struct {
	mcp.ParamsBase
	URI string `json:"uri"`
}

// oneSkill is its result.
type oneSkill struct {
	mcp.ResultBase
	ResultType string           `json:"resultType"`
	Skill      toolset.Manifest `json:"skill"`
	TTL        int              `json:"ttlMs"`
	CacheScope string           `json:"cacheScope"`
}

// cursorMark is in front of the last name of a page, in the cursor of the next one.
const cursorMark = "after:"

// lastName is the last name of the page before the one that a cursor asks for.
func lastName(cursor string) (string, error) {
	name, ours := strings.CutPrefix(cursor, cursorMark)
	if cursor != "" && (!ours || !names.IsName(name)) {
		return "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "this server did not give that cursor; list again without a cursor"}
	}
	return name, nil
}

const complete, private = "complete", "private"

// addSkills offers the files of capabilities as resources, and the extension's methods.
func (s *server) addSkills(m *mcp.Server) error {
	m.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "skill", Title: "A file of a skill", URITemplate: toolset.SkillScheme + "{name}/{+file}",
		Description: "A file of a capability, as it is in force",
	}, s.readSkill)
	m.AddReceivingMiddleware(s.listResources)
	return errors.Join(
		mcp.AddReceivingCustomMethod(m, "skills/list", func(ctx context.Context, _ *mcp.ServerSession, p *listSkills) (*skillsPage, error) {
			if p == nil {
				p = &listSkills{}
			}
			after, err := lastName(p.Cursor)
			if err != nil {
				return nil, err
			}
			found, next, err := s.agent.Skills(ctx, after, pageSize)
			if err != nil {
				return nil, s.rpcError(err)
			}
			if next != "" {
				next = cursorMark + next
			}
			return &skillsPage{ResultType: complete, Skills: found, NextCursor: next, CacheScope: private}, nil
		}),
		mcp.AddReceivingCustomMethod(m, "skills/get", func(ctx context.Context, _ *mcp.ServerSession, p *getSkill) (*oneSkill, error) {
			uri := ""
			if p != nil {
				uri = p.URI
			}
			found, err := s.agent.Skill(ctx, uri)
			if err != nil {
				return nil, s.rpcError(err)
			}
			return &oneSkill{ResultType: complete, Skill: found, CacheScope: private}, nil
		}),
	)
}

// listResources answers resources/list from the state in force.
func (s *server) listResources(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method != "resources/list" {
			return next(ctx, method, req)
		}
		cursor := ""
		if p, ok := req.GetParams().(*mcp.ListResourcesParams); ok && p != nil {
			cursor = p.Cursor
		}
		after, err := lastName(cursor)
		if err != nil {
			return nil, err
		}
		entries, err := s.agent.Listed(ctx)
		if err != nil {
			return nil, s.rpcError(err)
		}
		out := &mcp.ListResourcesResult{Resources: []*mcp.Resource{}, Cacheable: mcp.Cacheable{CacheScope: private}}
		for _, e := range entries {
			if e.Name <= after {
				continue
			}
			if len(out.Resources) == pageSize {
				out.NextCursor = cursorMark + out.Resources[pageSize-1].Name
				break
			}
			out.Resources = append(out.Resources, &mcp.Resource{
				URI: toolset.SkillURI(e.Name, names.SkillFile), Name: e.Name, Description: e.Description, MIMEType: "text/markdown",
			})
		}
		return out, nil
	}
}

// readSkill answers resources/read.
func (s *server) readSkill(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := req.Params.URI
	data, text, err := s.agent.File(ctx, uri)
	if err != nil {
		return nil, s.rpcError(err)
	}
	c := &mcp.ResourceContents{URI: uri, MIMEType: "application/octet-stream", Blob: data}
	if text {
		c = &mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: string(data)}
		if strings.HasSuffix(uri, ".md") {
			c.MIMEType = "text/markdown"
		}
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{c}, Cacheable: mcp.Cacheable{CacheScope: private}}, nil
}
