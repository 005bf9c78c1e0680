package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/registry/graph"
)

// example has 2 500 executions, more than one statement writes, and properties of each type.
func example() graph.Graph {
	g := graph.Graph{V: graph.FormatVersion, Nodes: []graph.Node{
		{ID: "agent:ada", Label: graph.Agent, Properties: graph.Properties{"name": "ada'}) DETACH DELETE (n) //"}},
		{ID: "capability:csv", Label: graph.Capability, Properties: graph.Properties{
			"name": "csv", "tags": []string{"é", strings.Repeat("long", 20000)}, "in_force": true, "mastery_score": 1.0, "usage_count": int64(1) << 40, "frequency": int64(-1),
		}},
	}}
	for i := range 2500 {
		id := fmt.Sprintf("execution:%04d", i)
		g.Nodes = append(g.Nodes, graph.Node{ID: id, Label: graph.Execution, Properties: graph.Properties{"execution_time_ms": int64(i * i)}})
		g.Edges = append(g.Edges, graph.Edge{From: id, Type: graph.Uses, To: "capability:csv"})
	}
	g.Edges = append(g.Edges, graph.Edge{From: "agent:ada", Type: graph.Knows, To: "capability:csv", Properties: graph.Properties{"practice_hours": 2.5}})
	return g
}

// has checks that the database holds a graph for a workspace, once the program's connections have ended.
func (d *database) has(t *testing.T, w string, g graph.Graph) {
	t.Helper()
	d.open.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	nodes, edges := map[string]map[string]any{}, map[string]map[string]any{}
	loose := func(p graph.Properties) map[string]any {
		out := map[string]any{}
		for k, v := range p {
			if texts, is := v.([]string); is {
				list := []any{}
				for _, s := range texts {
					list = append(list, s)
				}
				v = list
			}
			out[k] = v
		}
		return out
	}
	for _, n := range g.Nodes {
		nodes[w+" "+n.ID] = map[string]any{"workspace": w, "label": string(n.Label), "properties": loose(n.Properties)}
	}
	for _, e := range g.Edges {
		edges[w+" "+e.From+" "+string(e.Type)+" "+e.To] = map[string]any{"workspace": w, "properties": loose(e.Properties)}
	}
	got := func(all map[string]map[string]any) map[string]map[string]any {
		out := map[string]map[string]any{}
		for k, v := range all {
			if v["workspace"] == w {
				out[k] = v
			}
		}
		return out
	}
	if diff := cmp.Diff(nodes, got(d.nodes)) + cmp.Diff(edges, got(d.edges)); diff != "" {
		t.Errorf("workspace %s in the database: %.2000s", w, diff)
	}
}

// push has the program write a graph, and returns its exit code and what it printed.
func push(t *testing.T, uri, workspace string, g graph.Graph) (code int, out, errs string) {
	t.Helper()
	return started(t, []string{"-workspace", workspace, uri}, g)
}

func started(t *testing.T, args []string, g graph.Graph) (code int, out, errs string) {
	t.Helper()
	text, err := json.Marshal(g)
	if err != nil {
		t.Fatal(err)
	}
	var o, e bytes.Buffer
	code = run(context.Background(), args, bytes.NewReader(text), &o, &e)
	return code, o.String(), e.String()
}

// TestPush: a graph replaces the workspace's earlier one, and leaves those of others.
func TestPush(t *testing.T) {
	t.Setenv("NEO4J_PASSWORD", "secret")
	d, uri := serve(t)
	all := example()
	fewer := all.Only(graph.Agent, graph.Capability)
	for _, step := range []struct {
		workspace string
		g         graph.Graph
		want      string
	}{
		{"one", all, `{"nodes":2502,"edges":2501,"replaced":0}`},
		{"one", all, `{"nodes":2502,"edges":2501,"replaced":2502}`},
		{"two", all, `{"nodes":2502,"edges":2501,"replaced":0}`},
		{"one", fewer, `{"nodes":2,"edges":1,"replaced":2502}`},
	} {
		if code, out, errs := push(t, uri, step.workspace, step.g); code != 0 || strings.TrimSpace(out) != step.want {
			t.Fatalf("exit %d: %s %s", code, out, errs)
		}
		d.has(t, step.workspace, step.g)
	}
	d.has(t, "two", all)
	if d.login["scheme"] != "basic" || d.login["principal"] != "neo4j" || d.login["credentials"] != "secret" || d.indexes == 0 {
		t.Errorf("login %v, %d indexes", d.login, d.indexes)
	}
	// The protocol: magic number, then four versions that the client offers, of 4 bytes each.
	if got := hex.EncodeToString(d.hello[:4]); got != "6060b017" || len(d.hello) != 20 {
		t.Errorf("the connection begins with %x", d.hello)
	}
}

// TestNothingHalf: if a statement fails, the database holds what it held.
func TestNothingHalf(t *testing.T) {
	d, uri := serve(t)
	all := example()
	if code, _, errs := push(t, uri, "one", all); code != 0 {
		t.Fatal(errs)
	}
	if code, out, _ := started(t, []string{"-dry-run", uri}, all); code != 0 || strings.TrimSpace(out) != `{"nodes":2502,"edges":2501,"replaced":0}` {
		t.Errorf("a dry run: exit %d, %s", code, out)
	}
	d.has(t, "one", all)
	d.refuse = regexp.MustCompile("KNOWS")
	if code, out, errs := push(t, uri, "one", all.Only(graph.Agent, graph.Capability)); code != 1 || out != "" || !strings.Contains(errs, "KNOWS") || strings.Contains(errs, "\x1b") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	d.has(t, "one", all)
	d.badAuth = true
	if code, _, errs := push(t, uri, "one", all); code != 1 {
		t.Errorf("exit %d: %s", code, errs)
	}
	d.has(t, "one", all)
}

// TestRefused: wrong addresses and graphs reach no server.
func TestRefused(t *testing.T) {
	t.Setenv("NEO4J_PASSWORD", "secret")
	for _, args := range [][]string{
		nil, {"a", "b"}, {"-x", "bolt://localhost"}, {"http://localhost"}, {"bolt+x://localhost"}, {"bolt:///x"}, {"bolt://me:secret@localhost"}, {"bolt://graph.example.org"},
		{"neo4j://192.0.2.1:7687"}, {"\x7f"},
	} {
		var out, errs bytes.Buffer
		if code := run(context.Background(), args, strings.NewReader("{}"), &out, &errs); code != 2 || errs.Len() == 0 {
			t.Errorf("%q: exit %d: %s", args, code, errs.String())
		}
	}
	for _, uri := range []string{"bolt+s://graph.example.org", "neo4j+ssc://192.0.2.1", "bolt://127.0.0.1:7687", "neo4j://[::1]", "bolt://localhost"} {
		if _, err := serverOf(uri, func(string) string { return "x" }); err != nil {
			t.Errorf("%s: %v", uri, err)
		}
	}
	var out, errs bytes.Buffer
	if code := run(context.Background(), []string{"bolt://127.0.0.1:1"}, strings.NewReader(`{"v":7}`), &out, &errs); code != 1 || !strings.Contains(errs.String(), "version 7") {
		t.Errorf("exit %d: %s", code, errs.String())
	}
}

// TestFromAssent: `assent graph --push` finds this program and writes the graph of a workspace.
func TestFromAssent(t *testing.T) {
	t.Setenv("NEO4J_PASSWORD", "secret")
	t.Setenv("ASSENT_HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	programs, dir := t.TempDir(), t.TempDir()
	for name, value := range map[string]string{"NAME": "Ada", "EMAIL": "ada@example.org"} {
		t.Setenv("GIT_AUTHOR_"+name, value)
		t.Setenv("GIT_COMMITTER_"+name, value)
	}
	built := exec.Command("go", "build", "-o", programs+string(filepath.Separator), ".", "../assent")
	if out, err := built.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	assent := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(filepath.Join(programs, "assent"), args...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("assent %q: %v: %s", args, err, out)
		}
		return string(out)
	}
	assent("init", ".", "--agent", "scout")
	want, err := graph.Read(strings.NewReader(assent("graph", "--json")))
	if err != nil {
		t.Fatal(err)
	}
	d, uri := serve(t)
	var dry, done struct{ Nodes, Edges, Replaced int }
	for _, step := range []struct {
		args []string
		into any
	}{{[]string{"graph", "--push", uri, "--dry-run", "--json"}, &dry}, {[]string{"graph", "--push", uri, "--json"}, &done}} {
		if err := json.Unmarshal([]byte(assent(step.args...)), step.into); err != nil {
			t.Fatal(err)
		}
	}
	if dry != done || done.Nodes != len(want.Nodes) || done.Edges != len(want.Edges) || done.Nodes == 0 {
		t.Errorf("%+v and %+v, want %d nodes and %d edges", dry, done, len(want.Nodes), len(want.Edges))
	}
	workspace := ""
	for _, n := range d.nodes {
		workspace, _ = n["workspace"].(string)
	}
	d.has(t, workspace, want)
}
