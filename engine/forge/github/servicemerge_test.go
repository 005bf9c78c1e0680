package github

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/host/hosttest"
)

// mergePull implements https://docs.github.com/rest/pulls/pulls#merge-a-pull-request.
func (s *service) mergePull(c call) (int, any) {
	p := s.find(c, 1)
	switch {
	case p == nil:
		return 0, refuse(http.StatusNotFound, "Not Found")
	case !p.open:
		return 0, refuse(http.StatusMethodNotAllowed, "Pull Request is not mergeable")
	case c.text("merge_method") != "merge":
		return 0, refuse(http.StatusMethodNotAllowed, "Squash merges are not allowed on this repository.")
	case c.text("sha") != p.head:
		return 0, refuse(http.StatusConflict, "Head branch was modified. Review and try the merge again.")
	case s.hinder != "":
		text := s.hinder
		s.hinder = ""
		return 0, refuse(http.StatusMethodNotAllowed, text)
	case len(s.rules) > 0:
		return 0, refuse(http.StatusMethodNotAllowed, `Required status check "assent" is expected.`)
	}
	s.merged(p)
	return http.StatusOK, map[string]any{"sha": p.merge, "merged": true, "message": "Pull Request successfully merged"}
}

func (s *service) merged(p *pull) {
	p.merge = s.store(s.refs[p.base], p.head)
	s.refs[p.base] = p.merge
	p.open, p.merged, p.inQueue, p.auto = false, time.Now(), false, false
}

// graphql implements queued merges by https://docs.github.com/graphql/reference.
func (s *service) graphql(c call) (int, any) {
	variables, _ := c.body["variables"].(map[string]any)
	query, _ := c.body["query"].(string)
	no := func(text string) (int, any) {
		return http.StatusOK, map[string]any{"data": nil, "errors": []any{map[string]any{"type": "UNPROCESSABLE", "message": text}}}
	}
	if strings.HasPrefix(query, "query") {
		n, _ := variables["number"].(float64)
		if variables["owner"] != "guild" || variables["name"] != "workspace" || n < 1 || int(n) > len(s.pulls) {
			return no("Could not resolve to a PullRequest with the number of that.")
		}
		p := s.pulls[int(n)-1]
		shown := map[string]any{"id": nodeOf(p), "headRefOid": p.head, "merged": p.merge != "",
			"isMergeQueueEnabled": s.queue, "isInMergeQueue": p.inQueue, "autoMergeRequest": nil}
		if p.auto {
			shown["autoMergeRequest"] = map[string]any{"enabledAt": stamp(time.Now())}
		}
		return http.StatusOK, map[string]any{"data": map[string]any{"repository": map[string]any{"pullRequest": shown}}}
	}
	input, _ := variables["input"].(map[string]any)
	name, fields := "", []string{}
	for _, m := range mutations {
		if strings.Contains(query, " { "+m.name+"(input: $input)") && strings.HasPrefix(query, "mutation($input: "+m.input+"!)") {
			name, fields = m.name, m.fields
		}
	}
	for field := range input {
		if !strings.Contains(" "+strings.Join(fields, " ")+" ", " "+field+" ") {
			return no("InputObject doesn't accept argument '" + field + "'")
		}
	}
	p := s.byNode(input[map[bool]string{true: "id", false: "pullRequestId"}[name == "dequeuePullRequest"]])
	if p == nil || !p.open {
		return no("Could not resolve to a node")
	}
	if oid, ok := input["expectedHeadOid"]; ok && oid != p.head {
		return no("Head sha didn't match")
	}
	switch name {
	case "enqueuePullRequest":
		switch {
		case !s.queue:
			return no("The merge queue is not enabled")
		case len(s.rules) > 0:
			return no("Pull request is not ready: required status checks")
		}
		p.inQueue = true
	case "dequeuePullRequest":
		p.inQueue = false
	case "enablePullRequestAutoMerge":
		switch {
		case s.noAuto:
			return no("Auto merge is not allowed for this repository")
		case len(s.rules) == 0:
			return no("Pull request Pull request is in clean status")
		}
		p.auto = true
	case "disablePullRequestAutoMerge":
		p.auto = false
	default:
		return no("Field doesn't exist on type 'Mutation'")
	}
	return http.StatusOK, map[string]any{"data": map[string]any{name: map[string]any{"clientMutationId": nil}}}
}

var mutations = []struct {
	name, input string
	fields      []string
}{
	{"enqueuePullRequest", "EnqueuePullRequestInput", []string{"pullRequestId", "expectedHeadOid", "jump", "clientMutationId"}},
	{"dequeuePullRequest", "DequeuePullRequestInput", []string{"id", "clientMutationId"}},
	{"enablePullRequestAutoMerge", "EnablePullRequestAutoMergeInput", []string{"pullRequestId", "expectedHeadOid", "mergeMethod", "commitHeadline", "commitBody", "authorEmail", "clientMutationId"}},
	{"disablePullRequestAutoMerge", "DisablePullRequestAutoMergeInput", []string{"pullRequestId", "clientMutationId"}},
}

func nodeOf(p *pull) string { return "PR_" + p.branch }

func (s *service) byNode(id any) *pull {
	for _, p := range s.pulls {
		if nodeOf(p) == id {
			return p
		}
	}
	return nil
}

// TestMergeLater: a merge waits in the base's queue or by auto-merge, or happens at once
// if there is nothing to wait for. Temporary failures are retried.
func TestMergeLater(t *testing.T) {
	for _, c := range []struct {
		name                   string
		queue, noAuto, waits   bool
		hinder                 string
		now                    bool // it is not asked to queue
		inQueue, auto, becomes bool // becomes merged
		why                    string
	}{
		{name: "a queue", queue: true, inQueue: true},
		{name: "a queue that waits for checks", queue: true, waits: true, auto: true},
		{name: "auto-merge", waits: true, auto: true},
		{name: "nothing to wait for", becomes: true},
		{name: "not allowed", waits: true, noAuto: true, why: "allow auto-merge in the repository's settings"},
		{name: "the base moved", now: true, hinder: "Base branch was modified. Review and try the merge again.", becomes: true},
		{name: "not looked at yet", now: true, hinder: "Pull Request is not mergeable", becomes: true},
		{name: "refused", now: true, hinder: "Merge commits are not allowed on this repository.", why: "that merge commits are allowed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newService(t)
			s.refs["proposal/a-00000001"] = s.store(s.refs["main"])
			h := s.connect(t, hosttest.Engine, func(o *Options) {
				o.Transport = &checked{t: t, api: s.api, strip: "/api/v3"}
				o.Sleep = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
			})
			r, err := h.Create(t.Context(), host.New{Branch: "proposal/a-00000001", Base: "main", Title: "A"})
			if err != nil {
				t.Fatal(err)
			}
			s.queue, s.noAuto, s.hinder = c.queue, c.noAuto, c.hinder
			if c.waits {
				s.protect()
			}
			queued, err := h.Merge(t.Context(), r.Number, host.Merge{Head: r.Head, Title: "Merge A", Queue: !c.now})
			var d *host.Denied
			if errors.As(err, &d) != (c.why != "") || err == nil != (c.why == "") || d != nil && !strings.Contains(d.Fix, c.why) {
				t.Errorf("%v, want %q", err, c.why)
			}
			if p := s.pulls[0]; p.inQueue != c.inQueue || p.auto != c.auto || p.open == c.becomes || queued != (c.inQueue || c.auto) {
				t.Errorf("queued %v, %+v", queued, p)
			}
			if was, err := h.Unqueue(t.Context(), r.Number); err != nil || was != queued || s.pulls[0].inQueue || s.pulls[0].auto {
				t.Errorf("was %v, %v, %+v", was, err, s.pulls[0])
			}
		})
	}
}
