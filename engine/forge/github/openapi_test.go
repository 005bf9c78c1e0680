package github

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// openAPIPackage holds GitHub's published API description. It is pinned because the test
// downloads code of others.
const openAPIPackage = "@octokit/openapi@23.0.2"

// openAPI is GitHub's own description of requests and answers.
type openAPI struct {
	doc map[string]any
	// schemas are compiled as published, loose without required properties.
	schemas, loose *jsonschema.Compiler
	mu             sync.Mutex
}

// described downloads the description once.
var described = sync.OnceValues(func() (*openAPI, error) {
	dir, err := os.MkdirTemp("", "assent-openapi")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	cmd := exec.Command("npm", "pack", "--silent", openAPIPackage)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("npm pack %s: %w\n%s", openAPIPackage, err, out)
	}
	packed, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(packed) != 1 {
		return nil, fmt.Errorf("npm pack left %q", packed)
	}
	text, err := fromArchive(packed[0], "package/generated/api.github.com.json")
	if err != nil {
		return nil, err
	}
	return newOpenAPI(text)
})

func fromArchive(file, name string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err != nil {
			return nil, fmt.Errorf("%s in %s: %w", name, file, err)
		}
		if h.Name == name {
			return io.ReadAll(r)
		}
	}
}

func newOpenAPI(text []byte) (*openAPI, error) {
	o := &openAPI{}
	for _, c := range []**jsonschema.Compiler{&o.schemas, &o.loose} {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		nullable(doc, c == &o.loose)
		*c = jsonschema.NewCompiler()
		(*c).DefaultDraft(jsonschema.Draft4) // $ref hides its siblings, as in OpenAPI 3.0
		if err := (*c).AddResource("github.json", doc); err != nil {
			return nil, err
		}
		o.doc, _ = doc.(map[string]any)
	}
	return o, nil
}

// nullable translates OpenAPI's nullable into JSON Schema. If loose, it also drops
// required properties.
func nullable(v any, loose bool) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			nullable(e, loose)
		}
	case map[string]any:
		for _, e := range v {
			nullable(e, loose)
		}
		if _, ok := v["required"].([]any); ok && loose {
			delete(v, "required")
		}
		if forms, ok := v["oneOf"]; ok && loose { // several forms fit without required properties
			delete(v, "oneOf")
			v["anyOf"] = forms
		}
		if v["nullable"] != true {
			return
		}
		delete(v, "nullable")
		inner := maps.Clone(v)
		clear(v)
		v["anyOf"] = []any{inner, map[string]any{"type": "null"}}
	}
}

// operation finds the operation of a method and an escaped path.
func (o *openAPI) operation(method, path string) (pointer string, op map[string]any, err error) {
	var found []string
	for template, item := range o.doc["paths"].(map[string]any) {
		if _, ok := item.(map[string]any)[strings.ToLower(method)]; ok && matches(template, path) {
			found = append(found, template)
		}
	}
	if len(found) == 0 {
		return "", nil, fmt.Errorf("GitHub has no %s %s", method, path)
	}
	// Literal segments have priority over parameters.
	slices.SortFunc(found, func(a, b string) int { return strings.Count(a, "{") - strings.Count(b, "{") })
	op = o.doc["paths"].(map[string]any)[found[0]].(map[string]any)[strings.ToLower(method)].(map[string]any)
	return "github.json#/paths/" + strings.ReplaceAll(strings.ReplaceAll(found[0], "~", "~0"), "/", "~1") + "/" + strings.ToLower(method), op, nil
}

func matches(template, path string) bool {
	t, p := strings.Split(template, "/"), strings.Split(path, "/")
	if len(t) != len(p) {
		return false
	}
	for i, want := range t {
		if open := strings.HasPrefix(want, "{"); !open && want != p[i] || open && p[i] == "" {
			return false
		}
		if strings.HasSuffix(want, "_number}") || strings.HasSuffix(want, "_id}") {
			if _, err := strconv.Atoi(p[i]); err != nil {
				return false
			}
		}
	}
	return true
}

// request returns an error that lists the faults of a request.
func (o *openAPI) request(method string, u *url.URL, header http.Header, body []byte) error {
	pointer, op, err := o.operation(method, u.EscapedPath())
	if err != nil {
		return err
	}
	var faults []error
	if !strings.HasPrefix(header.Get("Accept"), "application/vnd.github.") || header.Get("X-Github-Api-Version") == "" || header.Get("User-Agent") == "" {
		faults = append(faults, fmt.Errorf("the headers name no version of the API or no client: %v", header))
	}
	faults = append(faults, o.query(op, u.Query()))
	content, _ := o.deref(op["requestBody"]).(map[string]any)["content"].(map[string]any)
	if len(content) == 0 {
		if len(body) > 0 {
			faults = append(faults, errors.New("this request has no body"))
		}
		return errors.Join(faults...)
	}
	if len(body) > 0 {
		if !strings.HasPrefix(header.Get("Content-Type"), "application/json") {
			faults = append(faults, fmt.Errorf("Content-Type is %q", header.Get("Content-Type")))
		}
		at := "/requestBody/content/application~1json/schema"
		faults = append(faults, o.check(o.schemas, pointer+at, body))
	}
	return errors.Join(faults...)
}

// query checks the names and values of query parameters.
func (o *openAPI) query(op map[string]any, values url.Values) error {
	params, _ := op["parameters"].([]any)
	for name, given := range values {
		i := slices.IndexFunc(params, func(p any) bool {
			m := o.deref(p).(map[string]any)
			return m["name"] == name && m["in"] == "query"
		})
		if i < 0 {
			return fmt.Errorf("there is no parameter %q", name)
		}
		schema, _ := o.deref(o.deref(params[i]).(map[string]any)["schema"]).(map[string]any)
		if words, ok := schema["enum"].([]any); ok && !slices.Contains(words, any(given[0])) {
			return fmt.Errorf("%s=%s: want one of %v", name, given[0], words)
		}
		if _, err := strconv.Atoi(given[0]); schema["type"] == "integer" && err != nil {
			return fmt.Errorf("%s=%s: want a number", name, given[0])
		}
	}
	return nil
}

// response returns an error about a test server's answer: an unknown status or name, or a
// value of the wrong type.
func (o *openAPI) response(method string, u *url.URL, status int, body []byte) error {
	pointer, op, err := o.operation(method, u.EscapedPath())
	if err != nil {
		return err
	}
	answers := op["responses"].(map[string]any)
	answer, ok := o.deref(answers[strconv.Itoa(status)]).(map[string]any)
	if !ok {
		if status >= 400 { // any request can be refused
			return nil
		}
		return fmt.Errorf("GitHub does not answer with %d", status)
	}
	if _, ok := answer["content"].(map[string]any); !ok || status >= 400 {
		return nil
	}
	if ref, ok := answers[strconv.Itoa(status)].(map[string]any)["$ref"].(string); ok {
		return o.check(o.loose, "github.json"+ref+"/content/application~1json/schema", body)
	}
	return o.check(o.loose, pointer+"/responses/"+strconv.Itoa(status)+"/content/application~1json/schema", body)
}

// check validates a value and its property names against the schema at a place.
func (o *openAPI) check(c *jsonschema.Compiler, at string, body []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	schema, err := c.Compile(at)
	if err != nil {
		return fmt.Errorf("the schema %s: %w", at, err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("%.200s\n%w", body, err)
	}
	return unknown(schema, value, "")
}

// unknown finds properties that a schema does not name. GitHub ignores them, so a
// misspelt one would stay unnoticed.
func unknown(s *jsonschema.Schema, v any, at string) error {
	switch v := v.(type) {
	case []any:
		for i, e := range v {
			for _, part := range parts(s) {
				if item, ok := part.Items.(*jsonschema.Schema); ok {
					if err := unknown(item, e, at+"/"+strconv.Itoa(i)); err != nil {
						return err
					}
				}
			}
		}
	case map[string]any:
		named := map[string][]*jsonschema.Schema{}
		open := true
		for _, part := range parts(s) {
			open = open && len(part.Properties) == 0 || part.AdditionalProperties != nil && part.AdditionalProperties != false
			for name, p := range part.Properties {
				named[name] = append(named[name], p)
			}
		}
		for name, e := range v {
			if len(named[name]) == 0 && !open {
				return fmt.Errorf("%s/%s: there is no such property", at, name)
			}
			if len(named[name]) == 1 { // of several forms, validation has chosen one
				if err := unknown(named[name][0], e, at+"/"+name); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// parts returns the schemas that make up a schema.
func parts(s *jsonschema.Schema) []*jsonschema.Schema {
	if s == nil {
		return nil
	}
	out := []*jsonschema.Schema{s}
	if s.Ref != nil {
		out = append(out, parts(s.Ref)...)
	}
	for _, list := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		for _, p := range list {
			out = append(out, parts(p)...)
		}
	}
	return out
}

// deref follows a reference within the document.
func (o *openAPI) deref(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return map[string]any(nil)
	}
	ref, ok := m["$ref"].(string)
	if !ok {
		return m
	}
	var at any = o.doc
	for _, part := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		at = at.(map[string]any)[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)]
	}
	return at
}

// needNPX skips a test that needs packages from npm.
func needNPX(t *testing.T) {
	t.Helper()
	if os.Getenv("ASSENT_TEST_NPX") == "" {
		t.Skip("set ASSENT_TEST_NPX=1 to run what GitHub publishes at npm")
	}
	for _, program := range []string{"npm", "node"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not installed; it comes with Node.js")
		}
	}
}

// published returns the description, nil without npm: then TestOpenAPI skips visibly.
func published(t *testing.T) *openAPI {
	t.Helper()
	if os.Getenv("ASSENT_TEST_NPX") == "" {
		return nil
	}
	o, err := described()
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// checked forwards requests and checks each one against the description.
type checked struct {
	t     *testing.T
	api   *openAPI
	strip string // of the path, before it is looked up
	next  http.RoundTripper
}

func (c *checked) RoundTrip(req *http.Request) (*http.Response, error) {
	if c.api != nil && !strings.HasSuffix(req.URL.Path, "/graphql") {
		var body []byte
		if req.GetBody != nil {
			r, err := req.GetBody()
			if err != nil {
				return nil, err
			}
			if body, err = io.ReadAll(r); err != nil {
				return nil, err
			}
		}
		u := *req.URL
		u.Path, u.RawPath = strings.TrimPrefix(u.Path, c.strip), strings.TrimPrefix(u.EscapedPath(), c.strip)
		if err := c.api.request(req.Method, &u, req.Header, body); err != nil {
			c.t.Errorf("%s %s: %v", req.Method, req.URL.RequestURI(), err)
		}
	}
	if c.next == nil {
		return http.DefaultTransport.RoundTrip(req)
	}
	return c.next.RoundTrip(req)
}

// TestOpenAPI: the description refuses wrong requests, so its acceptance means something.
func TestOpenAPI(t *testing.T) {
	needNPX(t)
	o := published(t)
	for _, c := range []struct{ name, method, address, body, fault string }{
		{"fine", "POST", "/repos/a/b/pulls", `{"title":"x","head":"y","base":"main"}`, ""},
		{"a branch with a slash", "GET", "/repos/a/b/branches/proposal%2Fx/protection", "", ""},
		{"no path", "POST", "/repos/a/b/pull", `{}`, "no POST"},
		{"no method", "DELETE", "/repos/a/b/pulls/1", "", "no DELETE"},
		{"a word for a number", "GET", "/repos/a/b/pulls/x", "", "no GET"},
		{"missing", "POST", "/repos/a/b/pulls", `{"title":"x","head":"y"}`, "missing property 'base'"},
		{"another type", "POST", "/repos/a/b/pulls", `{"title":1,"head":"y","base":"main"}`, "want string"},
		{"misspelt", "POST", "/repos/a/b/pulls", `{"titel":"x","head":"y","base":"main"}`, "no such property"},
		{"misspelt within", "POST", "/repos/a/b/check-runs", `{"name":"x","head_sha":"y","output":{"title":"t","summary":"s","annotation":[]}}`, "no such property"},
		{"another word", "POST", "/repos/a/b/statuses/c", `{"state":"good"}`, "one of"},
		{"no such parameter", "GET", "/repos/a/b/activity?branch=x", "", "no parameter"},
		{"another direction", "GET", "/repos/a/b/activity?direction=up", "", "want one of"},
		{"too many annotations", "PATCH", "/repos/a/b/check-runs/1", `{"output":{"summary":"s","annotations":[` + strings.Repeat(`{"path":"a","start_line":1,"end_line":1,"annotation_level":"notice","message":"m"},`, 50) + `{"path":"a","start_line":1,"end_line":1,"annotation_level":"notice","message":"m"}]}}`, "50"},
	} {
		u, err := url.Parse(c.address)
		if err != nil {
			t.Fatal(err)
		}
		header := http.Header{"Accept": {"application/vnd.github.v3+json"}, "X-Github-Api-Version": {"2022-11-28"}, "User-Agent": {"assent"}, "Content-Type": {"application/json"}}
		err = o.request(c.method, u, header, []byte(c.body))
		if c.fault == "" && err != nil || c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)) {
			t.Errorf("%s: %v; want %q", c.name, err, c.fault)
		}
	}
	bad, _ := url.Parse("/repos/a/b/pulls")
	for _, body := range []string{`[{"number":"one"}]`, `[{"nummer":1}]`, `{}`} {
		if o.response("GET", bad, 200, []byte(body)) == nil {
			t.Errorf("the answer %s was accepted", body)
		}
	}
	if err := o.response("GET", bad, 200, []byte(`[{"number":1,"title":"x","body":null,"head":{"ref":"a","sha":"b"}}]`)); err != nil {
		t.Error(err)
	}
}
