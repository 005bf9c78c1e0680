package github

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/forge/host/hosttest"
)

// service imitates GitHub by its documentation where the emulator falls short: refusals,
// statuses, activity, rulesets, pushed merges, revoked tokens. It holds one repository,
// guild/workspace, in memory. Requests and answers are both checked against GitHub's
// description.
type service struct {
	t      *testing.T
	api    *openAPI
	server *httptest.Server

	mu       sync.Mutex
	tokens   map[string]string // to logins
	roles    map[string]string // of logins: admin, write; others read
	parents  map[string][]string
	refs     map[string]string
	moves    []map[string]any // activity, oldest first
	pulls    []*pull
	comments []map[string]any
	labels   map[string]bool
	statuses map[string][]map[string]any // newest first
	rules    []map[string]any
	actors   []any
	serial   int
	queue    bool     // main has a merge queue
	hinder   string   // the refusal of the next merge
	noAuto   bool     // auto-merge is not allowed
	asked    []string // method and path of each request
	full     int      // answers with a body, to test ETags
}

// pull is a pull request.
type pull struct {
	number                     int
	author, branch, base, head string
	title, body                string
	open                       bool
	merge                      string
	inQueue, auto              bool
	labels, asked              []string
	reviews                    []map[string]any
	created, updated, merged   time.Time
}

// refusal is an error answer.
type refusal struct {
	status int
	text   string
	errors []any
	header http.Header
}

func refuse(status int, text string, errors ...any) refusal {
	return refusal{status: status, text: text, errors: errors}
}

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{
		t: t, api: published(t),
		tokens:  map[string]string{},
		roles:   map[string]string{hosttest.Engine: "admin", hosttest.Ada: "write", hosttest.Bob: "write"},
		parents: map[string][]string{}, refs: map[string]string{}, labels: map[string]bool{}, statuses: map[string][]map[string]any{},
	}
	for _, who := range []string{hosttest.Engine, hosttest.Ada, hosttest.Bob, hosttest.Stranger} {
		s.tokens[tokenOf(who)] = who
	}
	first := s.store()
	s.refs["main"] = first
	s.server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.server.Close)
	return s
}

// store creates a commit.
func (s *service) store(parents ...string) string {
	s.serial++
	id := fmt.Sprintf("%x", sha256.Sum256([]byte(fmt.Sprint(s.serial))))[:40]
	s.parents[id] = parents
	return id
}

// contains reports whether commit is tip or one of its ancestors.
func (s *service) contains(tip, commit string) bool {
	if tip == commit {
		return true
	}
	return slices.ContainsFunc(s.parents[tip], func(p string) bool { return s.contains(p, commit) })
}

// call is one request to the repository.
type call struct {
	who  string
	path []string // behind /repos/guild/workspace
	url.Values
	body map[string]any
}

func (c call) text(name string) string { s, _ := c.body[name].(string); return s }

// route maps a method and a path to a handler; * matches anything.
type route struct {
	pattern string
	role    string // the required one
	do      func(s *service, c call) (int, any)
}

func routes() []route {
	return []route{
		{"GET ", "", (*service).repository},
		{"GET pulls", "", (*service).listPulls}, {"POST pulls", "write", (*service).createPull},
		{"GET pulls/*", "", (*service).getPull}, {"PATCH pulls/*", "write", (*service).editPull},
		{"PUT pulls/*/merge", "write", (*service).mergePull},
		{"GET pulls/*/reviews", "", (*service).listReviews}, {"POST pulls/*/reviews", "", (*service).createReview},
		{"PUT pulls/*/reviews/*/dismissals", "write", (*service).dismiss},
		{"POST pulls/*/requested_reviewers", "write", (*service).ask},
		{"GET issues/*/comments", "", (*service).listComments}, {"POST issues/*/comments", "", (*service).comment},
		{"PATCH issues/comments/*", "", (*service).editComment}, {"DELETE issues/comments/*", "", (*service).deleteComment},
		{"GET issues/*/labels", "", (*service).listLabels}, {"POST issues/*/labels", "write", (*service).addLabels},
		{"DELETE issues/*/labels/*", "write", (*service).removeLabel}, {"POST labels", "write", (*service).createLabel},
		{"GET commits/*/statuses", "", (*service).listStatuses}, {"POST statuses/*", "write", (*service).createStatus},
		{"GET activity", "write", (*service).activity}, {"GET compare/*", "", (*service).compare},
		{"GET branches/*/protection", "admin", (*service).classic},
		{"GET rules/branches/*", "", (*service).listRules}, {"GET rulesets/*", "", (*service).ruleset},
	}
}

func (s *service) serve(w http.ResponseWriter, req *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	path, _ := strings.CutPrefix(req.URL.EscapedPath(), "/api/v3")
	s.asked = append(s.asked, req.Method+" "+path)
	status, answer := s.answer(req, path, body)
	if r, ok := answer.(refusal); ok {
		status = r.status
		for name := range r.header {
			w.Header().Set(name, r.header.Get(name))
		}
		m := map[string]any{"message": r.text, "documentation_url": "https://docs.github.com/rest"}
		if len(r.errors) > 0 {
			m["errors"] = r.errors
		}
		answer = m
	}
	if list, ok := answer.(listing); ok {
		answer = list.page(w, req)
	}
	text := []byte{}
	if answer != nil {
		if text, err = json.Marshal(answer); err != nil {
			s.t.Error(err)
		}
	}
	if s.api != nil && path != "/api/graphql" {
		u := &url.URL{Path: path, RawPath: path}
		if err := s.api.response(req.Method, u, status, text); err != nil {
			s.t.Errorf("the test's own answer to %s %s: %v", req.Method, path, err)
		}
	}
	etag := fmt.Sprintf(`W/"%x"`, sha256.Sum256(text))
	if req.Method == http.MethodGet && status == http.StatusOK {
		w.Header().Set("ETag", etag)
		if req.Header.Get("If-None-Match") == etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		s.full++
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

func (s *service) answer(req *http.Request, path string, body []byte) (int, any) {
	token, _ := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer ")
	who, ok := s.tokens[token]
	if !ok {
		return 0, refuse(http.StatusUnauthorized, "Bad credentials")
	}
	c := call{who: who, Values: req.URL.Query()}
	if len(body) > 0 {
		if err := json.Unmarshal(body, &c.body); err != nil {
			return 0, refuse(http.StatusBadRequest, "Problems parsing JSON")
		}
	}
	switch rest, here := strings.CutPrefix(path+"/", "/repos/guild/workspace/"); {
	case path == "/user":
		return http.StatusOK, account(who)
	case path == "/api/graphql":
		return s.graphql(c)
	case strings.HasPrefix(path, "/user/"):
		return s.byID(strings.TrimPrefix(path, "/user/"))
	case !here:
		return 0, refuse(http.StatusNotFound, "Not Found")
	default:
		for part := range strings.SplitSeq(strings.TrimSuffix(rest, "/"), "/") {
			plain, err := url.PathUnescape(part)
			if err != nil {
				return 0, refuse(http.StatusBadRequest, "Bad path")
			}
			c.path = append(c.path, plain)
		}
	}
	for _, r := range routes() {
		method, pattern, _ := strings.Cut(r.pattern, " ")
		if method != req.Method || !fits(strings.Split(pattern, "/"), c.path) {
			continue
		}
		if rank(s.roles[who]) < rank(r.role) {
			if r.role == "admin" {
				return 0, refuse(http.StatusNotFound, "Not Found")
			}
			return 0, refuse(http.StatusForbidden, "Must have push access to the repository")
		}
		return r.do(s, c)
	}
	return 0, refuse(http.StatusNotFound, "Not Found")
}

func fits(pattern, path []string) bool {
	return slices.EqualFunc(pattern, path, func(p, part string) bool { return p == "*" || p == part })
}

func rank(role string) int { return slices.Index([]string{"", "write", "admin"}, role) }

// listing is a list that is answered in pages.
type listing []any

func (l listing) page(w http.ResponseWriter, req *http.Request) []any {
	q := req.URL.Query()
	size, number := 30, 1
	if n, err := strconv.Atoi(q.Get("per_page")); err == nil {
		size = min(n, 100)
	}
	key := "page"
	if strings.HasSuffix(req.URL.Path, "/activity") {
		key = "after" // a cursor
	}
	if n, err := strconv.Atoi(q.Get(key)); err == nil {
		number = n
	}
	from, to := min(size*(number-1), len(l)), min(size*number, len(l))
	if to < len(l) {
		q.Set(key, strconv.Itoa(number+1))
		w.Header().Set("Link", fmt.Sprintf(`<http://%s%s?%s>; rel="next"`, req.Host, req.URL.EscapedPath(), q.Encode()))
	}
	return append([]any{}, l[from:to]...)
}

func account(login string) map[string]any {
	return map[string]any{"login": login, "id": len(login)*100 + int(login[0]), "type": "User"}
}

func (s *service) byID(id string) (int, any) {
	for login := range s.roles {
		if fmt.Sprint(account(login)["id"]) == id {
			return http.StatusOK, account(login)
		}
	}
	return 0, refuse(http.StatusNotFound, "Not Found")
}

func (s *service) repository(call) (int, any) {
	return http.StatusOK, map[string]any{
		"id": 77, "name": "workspace", "full_name": "guild/workspace", "default_branch": "main",
		"allow_merge_commit": true, "allow_squash_merge": true, "allow_rebase_merge": false,
	}
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// requests returns the requests so far and clears the list.
func (s *service) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.asked
	s.asked = nil
	return out
}

// connect returns a client for an account.
func (s *service) connect(t *testing.T, who string, change ...func(*Options)) *Host {
	t.Helper()
	o := Options{
		Server: s.server.URL, Owner: "guild", Repo: "workspace", Token: tokenOf(who),
		Transport: &checked{t: t, api: s.api, strip: "/api/v3"},
	}
	for _, c := range change {
		c(&o)
	}
	h, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}
