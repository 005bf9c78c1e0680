package github

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

func (s *service) listComments(c call) (int, any) {
	p := s.find(c, 1)
	if p == nil {
		return 0, refuse(http.StatusNotFound, "Not Found")
	}
	var out listing
	for _, one := range s.comments {
		if one["issue_url"] == fmt.Sprintf("%s/issues/%d", s.server.URL, p.number) {
			out = append(out, one)
		}
	}
	return http.StatusOK, out
}

func (s *service) comment(c call) (int, any) {
	p := s.find(c, 1)
	if p == nil {
		return 0, refuse(http.StatusNotFound, "Not Found")
	}
	s.serial++
	one := map[string]any{"id": s.serial, "user": account(c.who), "body": c.text("body"), "created_at": stamp(time.Now()),
		"issue_url": fmt.Sprintf("%s/issues/%d", s.server.URL, p.number)}
	s.comments = append(s.comments, one)
	return http.StatusCreated, one
}

// mine finds a comment that the account may change.
func (s *service) mine(c call) int {
	return slices.IndexFunc(s.comments, func(one map[string]any) bool {
		return fmt.Sprint(one["id"]) == c.path[2] && (s.roles[c.who] != "" || one["user"].(map[string]any)["login"] == c.who)
	})
}

func (s *service) editComment(c call) (int, any) {
	i := s.mine(c)
	if i < 0 {
		return 0, refuse(http.StatusNotFound, "Not Found")
	}
	s.comments[i]["body"] = c.text("body")
	return http.StatusOK, s.comments[i]
}

func (s *service) deleteComment(c call) (int, any) {
	i := s.mine(c)
	if i < 0 {
		return 0, refuse(http.StatusNotFound, "Not Found")
	}
	s.comments = slices.Delete(s.comments, i, i+1)
	return http.StatusNoContent, nil
}

func label(name string) map[string]any { return map[string]any{"name": name, "color": "5b6ee1"} }

func (s *service) listLabels(c call) (int, any) {
	p := s.find(c, 1)
	if p == nil {
		return 0, refuse(http.StatusNotFound, "Not Found")
	}
	var out listing
	for _, l := range p.labels {
		out = append(out, label(l))
	}
	return http.StatusOK, out
}

func (s *service) createLabel(c call) (int, any) {
	if s.labels[strings.ToLower(c.text("name"))] {
		return 0, refuse(http.StatusUnprocessableEntity, failed, map[string]any{"resource": "Label", "field": "name", "code": "already_exists"})
	}
	s.labels[strings.ToLower(c.text("name"))] = true
	return http.StatusCreated, label(c.text("name"))
}

func (s *service) addLabels(c call) (int, any) {
	p := s.find(c, 1)
	if p == nil {
		return 0, refuse(http.StatusNotFound, "Not Found")
	}
	for _, l := range c.body["labels"].([]any) {
		if !slices.Contains(p.labels, l.(string)) {
			p.labels = append(p.labels, l.(string))
		}
	}
	_, out := s.listLabels(c)
	return http.StatusOK, out
}

func (s *service) removeLabel(c call) (int, any) {
	p := s.find(c, 1)
	if p == nil || !slices.Contains(p.labels, c.path[3]) {
		return 0, refuse(http.StatusNotFound, "Label does not exist")
	}
	p.labels = slices.DeleteFunc(p.labels, func(l string) bool { return l == c.path[3] })
	_, out := s.listLabels(c)
	return http.StatusOK, out
}

func (s *service) listStatuses(c call) (int, any) {
	var out listing
	for _, one := range s.statuses[c.path[1]] {
		out = append(out, one)
	}
	return http.StatusOK, out
}

func (s *service) createStatus(c call) (int, any) {
	sha := c.path[1]
	if _, ok := s.parents[sha]; !ok {
		return 0, refuse(http.StatusUnprocessableEntity, "No commit found for SHA: "+sha)
	}
	if len(c.text("description")) > 140 {
		return 0, refuse(http.StatusUnprocessableEntity, failed, custom("Status", "description is too long (maximum is 140 characters)"))
	}
	one := map[string]any{"state": c.body["state"], "context": c.body["context"], "description": c.body["description"],
		"target_url": c.body["target_url"], "creator": account(c.who), "created_at": stamp(time.Now())}
	s.statuses[sha] = append([]map[string]any{one}, s.statuses[sha]...)
	return http.StatusCreated, one
}

func (s *service) activity(c call) (int, any) {
	var out listing
	for _, m := range s.moves {
		if m["ref"] == c.Get("ref") {
			out = append(out, m)
		}
	}
	if c.Get("direction") != "asc" {
		slices.Reverse(out)
	}
	return http.StatusOK, out
}

func (s *service) compare(c call) (int, any) {
	base, head, _ := strings.Cut(c.path[1], "...")
	if tip, ok := s.refs[head]; ok {
		head = tip
	}
	_, known := s.parents[base]
	_, also := s.parents[head]
	status := "diverged"
	switch {
	case !known || !also:
		return 0, refuse(http.StatusNotFound, "Not Found")
	case base == head:
		status = "identical"
	case s.contains(head, base):
		status = "ahead"
	case s.contains(base, head):
		status = "behind"
	}
	return http.StatusOK, map[string]any{"status": status, "commits": []any{}}
}

func (s *service) classic(call) (int, any) {
	return 0, refuse(http.StatusNotFound, "Branch not protected")
}

// protect creates a ruleset with three rules, one of an unknown type.
func (s *service) protect(actors ...any) {
	s.actors = actors
	s.rules = []map[string]any{
		{"type": "pull_request", "parameters": map[string]any{"required_approving_review_count": 1, "allowed_merge_methods": []string{"merge"}}},
		{"type": "required_status_checks", "parameters": map[string]any{"required_status_checks": []any{map[string]any{"context": "assent"}}}},
		{"type": "non_fast_forward"}, {"type": "deletion"}, {"type": "creation"},
	}
	for _, r := range s.rules {
		r["ruleset_id"], r["ruleset_source"], r["ruleset_source_type"] = 42, "guild/workspace", "Repository"
	}
}

func (s *service) listRules(c call) (int, any) {
	out := listing{}
	if c.path[2] == "main" {
		for _, r := range s.rules {
			out = append(out, r)
		}
	}
	return http.StatusOK, out
}

func (s *service) ruleset(c call) (int, any) {
	m := map[string]any{"id": 42, "name": "gate", "source": "guild/workspace", "enforcement": "active", "current_user_can_bypass": "never"}
	if s.roles[c.who] == "admin" {
		m["bypass_actors"] = s.actors
	}
	return http.StatusOK, m
}
