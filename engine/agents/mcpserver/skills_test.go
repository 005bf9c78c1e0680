package mcpserver_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/gate/stop"
	"github.com/assent-dev/assent/engine/workspace"
)

// request sends one request on the wire and returns its result, or its error.
func (w *wire) request(method, params string) (result map[string]any, code float64) {
	w.t.Helper()
	w.send(`{"jsonrpc":"2.0","id":3,"method":"` + method + `","params":` + params + `}`)
	got := w.answer()
	if e, failed := got["error"].(map[string]any); failed {
		return nil, e["code"].(float64)
	}
	return got["result"].(map[string]any), 0
}

// TestSkills: the Skills extension lists the skills in force with a digest of each file,
// and each file can be read and has that digest.
func TestSkills(t *testing.T) {
	d := begin(t)
	files := skill("bowline", "Make a loop.")
	files["skills/bowline/references/how far.md"] = "# How far\n"
	d.inForce(files)
	d.inForce(doubler("double-it")) // a tool is no skill
	w := plain(t, d.agent("scout"))
	w.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"wire","version":"1"}}}`)
	capabilities := w.answer()["result"].(map[string]any)["capabilities"].(map[string]any)
	if capabilities["resources"] == nil || capabilities["extensions"].(map[string]any)["io.modelcontextprotocol/skills"] == nil {
		t.Errorf("the server declares %v", capabilities)
	}
	w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)

	listed, _ := w.request("skills/list", `{}`)
	all := listed["skills"].([]any)
	if len(all) != 1 || listed["resultType"] != "complete" || listed["ttlMs"] != 0.0 || listed["cacheScope"] != "private" {
		t.Fatalf("listed %v", listed)
	}
	entry := all[0].(map[string]any)
	front := entry["frontmatter"].(map[string]any)
	if entry["uri"] != "skill://bowline/SKILL.md" || front["name"] != "bowline" || front["description"] == nil {
		t.Errorf("listed %v", entry)
	}
	one, _ := w.request("skills/get", `{"uri":"skill://bowline/SKILL.md"}`)
	if got, want := fmt.Sprint(one["skill"]), fmt.Sprint(entry); got != want || one["resultType"] != "complete" {
		t.Errorf("got %v, listed %v", got, want)
	}
	resources := entry["resources"].([]any)
	if len(resources) != 2 {
		t.Fatalf("its files: %v", resources)
	}
	for _, r := range resources {
		file := r.(map[string]any)
		read, _ := w.request("resources/read", fmt.Sprintf(`{"uri":%q}`, file["uri"]))
		text := read["contents"].([]any)[0].(map[string]any)["text"].(string)
		sum := sha256.Sum256([]byte(text))
		if file["digest"] != "sha256:"+hex.EncodeToString(sum[:]) || file["size"] != float64(len(text)) {
			t.Errorf("%v reads as %q", file, text)
		}
	}
	names, _ := w.request("resources/list", `{}`)
	if all := names["resources"].([]any); len(all) != 1 || all[0].(map[string]any)["uri"] != "skill://bowline/SKILL.md" {
		t.Errorf("resources %v", names)
	}
	for _, method := range []string{"skills/list", "resources/list"} {
		for cursor, want := range map[string]string{"after:a": "bowline", "after:bowline": "", "nonsense": "-32602", "after:": "-32602", "bowline": "-32602"} {
			got, code := w.request(method, fmt.Sprintf(`{"cursor":%q}`, cursor))
			if said := fmt.Sprint(got, code); want == "" && (code != 0 || strings.Contains(said, "bowline")) || !strings.Contains(said, want) {
				t.Errorf("%s from %q: %s, want %q", method, cursor, said, want)
			}
		}
	}
	for _, uri := range []string{"", "skill://bowline", "skill://no-such/SKILL.md", "skill://double-it/SKILL.md", "skill://bowline/references/how%20far.md", "https://bowline/SKILL.md", "skill://../SKILL.md"} {
		if got, code := w.request("skills/get", fmt.Sprintf(`{"uri":%q}`, uri)); code != -32602 {
			t.Errorf("skills/get %q: %v, code %v", uri, got, code)
		}
	}
	for _, uri := range []string{"skill://bowline/../../policies/roles.yaml", "skill://bowline/%2e%2e/double-it/SKILL.md", "skill://bowline/", "file:///etc/passwd"} {
		if got, code := w.request("resources/read", fmt.Sprintf(`{"uri":%q}`, uri)); code == 0 {
			t.Errorf("resources/read %q: %v", uri, got)
		}
	}
	w.to.Close()
	w.ends()
}

// TestStoppedSkills: a skill that a human stopped is neither listed nor read by any client; a read
// and a new session say why.
func TestStoppedSkills(t *testing.T) {
	d := begin(t)
	d.inForce(skill("bowline", "Make a loop."))
	cur, err := d.Session(t.Context())
	d.OK(err)
	at := cur.Now().UTC().Truncate(time.Second)
	signed, err := stop.Sign(stop.Record{
		V: stop.Version, Workspace: cur.Genesis, Capability: "bowline", Decision: stop.Stop, Reason: "it slips",
		At: at, Until: at.Add(stop.Default), Lifts: []string{}, Nonce: "0123456789abcdef",
	}, d.Ada)
	d.OK(err)
	d.OK(cur.StopRecords().File(signed))
	a := d.agent("scout")
	if listed, err := a.Listed(t.Context()); err != nil || len(listed) != 0 {
		t.Errorf("listed %v, %v", listed, err)
	}
	var halted *workspace.Halted
	_, news, err := a.Welcome(t.Context())
	if d.OK(err); !slices.ContainsFunc(news, func(n string) bool { return strings.Contains(n, "bowline is stopped") }) {
		t.Errorf("a session begins with %q", news)
	}
	if data, _, err := a.File(t.Context(), "skill://bowline/SKILL.md"); !errors.As(err, &halted) || halted.Name != "bowline" {
		t.Errorf("read %q, %v", data, err)
	}
}
