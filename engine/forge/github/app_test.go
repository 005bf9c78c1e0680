package github

import (
	"bytes"
	"compress/gzip"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/proposals/render"
)

var appKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// appService imitates GitHub for an App: tokens, check runs and uploads.
type appService struct {
	t       *testing.T
	key     *rsa.PrivateKey
	at      *clock
	mu      sync.Mutex
	issued  int
	revoked bool // the current token
	runs    []map[string]any
	patches []map[string]any
	sarif   []map[string]any
	status  int // to answer instead of an installation
	server  *httptest.Server
	api     *openAPI
	broken  map[string]int // requests that fail first, by method and path
}

func newAppService(t *testing.T) *appService {
	t.Helper()
	key, err := appKey()
	if err != nil {
		t.Fatal(err)
	}
	s := &appService{t: t, key: key, at: &clock{now: time.Now()}, api: published(t), runs: []map[string]any{}, broken: map[string]int{}}
	s.server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.server.Close)
	return s
}

func (s *appService) connect(t *testing.T) *Host {
	t.Helper()
	pkcs8, err := x509.MarshalPKCS8PrivateKey(s.key)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Server: s.server.URL, Owner: "guild", Repo: "workspace", Transport: &checked{t: t, api: s.api, strip: "/api/v3"},
		App: &App{ID: appID, Key: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})}}
	s.at.options(&o)
	h, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// jwt checks an App's token against GitHub's documentation, without the code under test.
func (s *appService) jwt(token string) bool {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return false
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err != nil || rsa.VerifyPKCS1v15(&s.key.PublicKey, crypto.SHA256, sum[:], signature) != nil {
		s.t.Error("the signature of the App's token is wrong")
		return false
	}
	var header struct{ Alg, Typ string }
	var claims struct {
		Iat, Exp int64
		Iss      string
	}
	for i, into := range []any{&header, &claims} {
		text, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil || json.Unmarshal(text, into) != nil {
			s.t.Errorf("part %d of the App's token is not JSON", i)
		}
	}
	now := s.at.now.Unix()
	if header.Alg != "RS256" || claims.Iss != appID || claims.Iat > now || claims.Exp <= now || claims.Exp > now+600 {
		s.t.Errorf("the App's token says %+v %+v", header, claims)
	}
	return true
}

func (s *appService) serve(w http.ResponseWriter, req *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	token, _ := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer ")
	path := strings.TrimPrefix(req.URL.Path, "/api/v3")
	body := map[string]any{}
	_ = json.NewDecoder(req.Body).Decode(&body)
	if s.broken[req.Method+" "+path] > 0 {
		s.broken[req.Method+" "+path]--
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	status, answer := s.answer(req, token, path, body)
	text, err := json.Marshal(answer)
	if err != nil {
		s.t.Error(err)
	}
	if s.api != nil && path != "/api/graphql" {
		if err := s.api.response(req.Method, &url.URL{Path: path}, status, text); err != nil {
			s.t.Errorf("the test's own answer to %s %s: %v", req.Method, path, err)
		}
	}
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

func (s *appService) answer(req *http.Request, token, path string, body map[string]any) (int, any) {
	bad := map[string]any{"message": "Bad credentials"}
	if strings.HasPrefix(path, "/app") || strings.HasSuffix(path, "/installation") {
		if !s.jwt(token) {
			return http.StatusUnauthorized, bad
		}
	} else if token != fmt.Sprint("ghs_", s.issued) || s.revoked {
		return http.StatusUnauthorized, bad
	}
	switch {
	case path == "/app":
		return http.StatusOK, map[string]any{"id": 4711, "slug": appSlug}
	case path == "/user":
		return http.StatusForbidden, map[string]any{"message": "Resource not accessible by integration"}
	case path == "/api/graphql":
		if q := body["query"]; q != "query { viewer { login } }" {
			s.t.Errorf("asked %q", q)
		}
		return http.StatusOK, map[string]any{"data": map[string]any{"viewer": map[string]any{"login": "github-actions[bot]"}}}
	case path == "/repos/guild/workspace/installation" && s.status != 0:
		return s.status, map[string]any{"message": "Not Found"}
	case path == "/repos/guild/workspace/installation":
		return http.StatusOK, map[string]any{"id": 815}
	case path == "/app/installations/815/access_tokens":
		if diff := cmp.Diff(map[string]any{"repositories": []any{"workspace"}}, body); diff != "" {
			s.t.Errorf("the token asked for (-want +got)\n%s", diff)
		}
		s.issued, s.revoked = s.issued+1, false
		return http.StatusCreated, map[string]any{"token": fmt.Sprint("ghs_", s.issued), "expires_at": stamp(s.at.now.Add(time.Hour)),
			"permissions": map[string]any{"contents": "write", "checks": "read"}}
	case strings.HasSuffix(path, "/check-runs") && req.Method == http.MethodGet:
		return http.StatusOK, map[string]any{"total_count": len(s.runs), "check_runs": s.runs}
	case strings.HasSuffix(path, "/check-runs"):
		run := map[string]any{"id": len(s.runs) + 1, "app": map[string]any{"slug": appSlug}}
		for _, name := range []string{"name", "head_sha", "external_id", "status", "conclusion"} {
			if v, ok := body[name]; ok {
				run[name] = v
			}
		}
		s.runs = append(s.runs, run)
		s.patches = append(s.patches, body)
		return http.StatusCreated, run
	case strings.Contains(path, "/check-runs/"):
		s.patches = append(s.patches, body)
		run := s.runs[len(s.runs)-1]
		for _, name := range []string{"status", "conclusion"} {
			if v, ok := body[name]; ok {
				run[name] = v
			}
		}
		return http.StatusOK, run
	case strings.HasSuffix(path, "/code-scanning/sarifs"):
		s.sarif = append(s.sarif, body)
		return http.StatusAccepted, map[string]any{"id": "47177e22", "url": "https://api.github.com/x"}
	case strings.HasSuffix(path, "/pulls"):
		return http.StatusOK, []any{}
	}
	return http.StatusNotFound, map[string]any{"message": "Not Found"}
}

// TestAppToken: an App's token is for one repository, is cached while valid, and is
// renewed before it expires or after it is refused.
func TestAppToken(t *testing.T) {
	s := newAppService(t)
	h := s.connect(t)
	if login, err := h.Login(t.Context()); err != nil || login != appSlug+"[bot]" {
		t.Fatal(login, err)
	}
	ask := func(want int, what string) {
		t.Helper()
		if _, err := h.Find(t.Context(), "proposal/x", "main"); !errors.Is(err, host.ErrNoRequest) {
			t.Fatalf("%s: %v", what, err)
		}
		if s.issued != want {
			t.Errorf("%s: %d tokens were issued; want %d", what, s.issued, want)
		}
	}
	ask(1, "the first")
	ask(1, "at once")
	if password, err := h.Password(t.Context()); err != nil || password != "ghs_1" {
		t.Errorf("git's password is %q: %v", password, err)
	}
	s.at.now = s.at.now.Add(time.Hour - early - 2*time.Second) // GitHub has whole seconds
	ask(1, "just before its end")
	s.at.now = s.at.now.Add(4 * time.Second)
	ask(2, "near its end")
	s.revoked = true
	ask(3, "revoked")
	s.broken["POST /app/installations/815/access_tokens"] = 2
	s.revoked = true
	ask(4, "after a failure")
}

// TestAppLacks: permissions that an installation lacks are read from the answer with its
// token.
func TestAppLacks(t *testing.T) {
	lacks, err := newAppService(t).connect(t).Lacks(t.Context())
	if err != nil || len(lacks) != 2 || lacks[0].Right != "the permission pull requests: write" || lacks[1].Right != "the permission checks: write" {
		t.Errorf("%+v, %v", lacks, err)
	}
}

// TestAppNotInstalled: the error of an App without an installation says where to install
// it.
func TestAppNotInstalled(t *testing.T) {
	s := newAppService(t)
	s.status = http.StatusNotFound
	_, err := s.connect(t).Find(t.Context(), "proposal/x", "main")
	var d *host.Denied
	if !errors.As(err, &d) || d.Status != http.StatusNotFound || !strings.Contains(d.Fix, "install the App in guild/workspace") {
		t.Errorf("%#v", err)
	}
}

// TestActionsLogin: a workflow's token may ask for its account by GraphQL only.
func TestActionsLogin(t *testing.T) {
	s := newAppService(t)
	s.issued = 1
	h, err := New(Options{Server: s.server.URL, Owner: "guild", Repo: "workspace", Token: "ghs_1",
		Transport: &checked{t: t, api: s.api, strip: "/api/v3"}})
	if err != nil {
		t.Fatal(err)
	}
	if login, err := h.Login(t.Context()); err != nil || login != "github-actions[bot]" {
		t.Errorf("%q, %v", login, err)
	}
}

// TestCheckRunPages: notes are sent in pages of fifty and the last page completes the
// run. An unchanged check is not sent again.
func TestCheckRunPages(t *testing.T) {
	s := newAppService(t)
	h := s.connect(t)
	c := host.Check{Head: tree.Hash{1}, State: "failure", Summary: "120 findings", Text: strings.Repeat("long ", 30_000), URL: "https://example.org/"}
	for i := range 120 {
		c.Notes = append(c.Notes, host.Note{Path: "skills/x.md", Line: i, Level: "error", Title: strings.Repeat("t", 300), Detail: "d"})
	}
	c.Notes = append(c.Notes, host.Note{Title: "of no file"}, host.Note{Path: "a", Level: "warning"}, host.Note{Path: "a", Level: "note"})
	for range 2 {
		if err := h.Check(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.runs) != 1 || len(s.patches) != 3 || s.runs[0]["conclusion"] != "failure" {
		t.Fatalf("%d runs, %d writes: %v", len(s.runs), len(s.patches), s.runs)
	}
	total, levels := 0, map[any]int{}
	for i, p := range s.patches {
		out := p["output"].(map[string]any)
		list := out["annotations"].([]any)
		total += len(list)
		for _, a := range list {
			levels[a.(map[string]any)["annotation_level"]]++
		}
		if done := p["status"] == "completed"; len(list) > 50 || done != (i == 2) || len(out["text"].(string)) > maxOutput {
			t.Errorf("page %d: %d notes, %v", i, len(list), p["status"])
		}
	}
	if diff := cmp.Diff(map[any]int{"failure": 120, "warning": 1, "notice": 1}, levels); diff != "" || total != 122 {
		t.Error(total, diff)
	}

	c.State = "success"
	if err := h.Check(t.Context(), c); err != nil || len(s.runs) != 2 {
		t.Errorf("%d runs: %v", len(s.runs), err)
	}
	c.Notes = make([]host.Note, maxNotes+7)
	for i := range c.Notes {
		c.Notes[i].Path = "x"
	}
	s.patches = nil
	if err := h.Check(t.Context(), c); err != nil || len(s.patches) != maxNotes/notesAtOnce {
		t.Errorf("%d pages: %v", len(s.patches), err)
	}
	if text := s.patches[0]["output"].(map[string]any)["text"].(string); !strings.HasPrefix(text, "7 more findings") {
		t.Errorf("%.40q", text)
	}
}

// TestCheckRunBrokenOff: a run with missing notes is not reused; it is created again.
func TestCheckRunBrokenOff(t *testing.T) {
	s := newAppService(t)
	h := s.connect(t)
	c := host.Check{Head: tree.Hash{1}, State: "success", Summary: "x", Notes: make([]host.Note, 60)}
	for i := range c.Notes {
		c.Notes[i].Path = "x"
	}
	s.broken["PATCH /repos/guild/workspace/check-runs/1"] = 1
	if err := h.Check(t.Context(), c); err == nil || s.runs[0]["status"] != "in_progress" {
		t.Errorf("%v: %v", err, s.runs)
	}
	if err := h.Check(t.Context(), c); err != nil || len(s.runs) != 2 || s.runs[1]["status"] != "completed" {
		t.Errorf("%v: %v", err, s.runs)
	}
}

// TestCheckRunOfAnother: a run of another App never replaces ours.
func TestCheckRunOfAnother(t *testing.T) {
	s := newAppService(t)
	h := s.connect(t)
	c := host.Check{Head: tree.Hash{1}, State: "success", Summary: "x"}
	if err := h.Check(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	s.runs[0]["app"] = map[string]any{"slug": "mallory"}
	if err := h.Check(t.Context(), c); err != nil || len(s.runs) != 2 {
		t.Errorf("%d runs: %v", len(s.runs), err)
	}
}

// TestUploadSARIF: code scanning receives the log of package render, limited to five
// thousand results.
func TestUploadSARIF(t *testing.T) {
	s := newAppService(t)
	h := s.connect(t)
	var found diag.List
	for i := range maxResults + 3 {
		found = append(found, diag.Diagnostic{Rule: "scan/pipe", Message: fmt.Sprint("finding ", i), Pos: diag.Pos{File: "skills/x.md", Line: i + 1}})
	}
	for _, n := range []int{2, maxResults, maxResults + 3} {
		log, err := render.Report("sarif", validate.Report{Diagnostics: found[:n]})
		if err != nil {
			t.Fatal(err)
		}
		id, dropped, err := h.UploadSARIF(t.Context(), tree.Hash{1}, "refs/heads/main", log)
		if err != nil || id != "47177e22" || dropped != max(0, n-maxResults) {
			t.Fatal(id, dropped, err)
		}
		sent := s.sarif[len(s.sarif)-1]
		if sent["commit_sha"] != (tree.Hash{1}).String() || sent["ref"] != "refs/heads/main" {
			t.Errorf("sent %v %v", sent["commit_sha"], sent["ref"])
		}
		got := unpack(t, sent["sarif"].(string))
		if dropped == 0 && !bytes.Equal(got, log) {
			t.Error("the log was changed on the way")
		}
		var back struct {
			Version string
			Runs    []struct{ Results []struct{ RuleID string } }
		}
		if err := json.Unmarshal(got, &back); err != nil || back.Version != "2.1.0" || len(back.Runs[0].Results) != min(n, maxResults) || back.Runs[0].Results[0].RuleID != "scan/pipe" {
			t.Errorf("%d results: %v", len(back.Runs[0].Results), err)
		}
	}
	for _, bad := range []string{"", "[]", `{"runs":1}`, `{"runs":[{"results":{}}]}`} {
		if _, _, err := h.UploadSARIF(t.Context(), tree.Hash{1}, "refs/heads/main", []byte(bad)); err == nil {
			t.Errorf("%q was uploaded", bad)
		}
	}
}

func unpack(t *testing.T, s string) []byte {
	t.Helper()
	packed, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
