package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// monitoring holds the alert rules and the dashboard.
const monitoring = "../../../docs/monitoring"

// queriesOf returns the queries of the dashboard, with Grafana's variables filled in.
func queriesOf(t *testing.T) []string {
	t.Helper()
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	text, err := os.ReadFile(filepath.Join(monitoring, "dashboard.json"))
	if err == nil {
		err = json.Unmarshal(text, &board)
	}
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, p := range board.Panels {
		if len(p.Targets) == 0 {
			t.Errorf("the panel %q asks for nothing", p.Title)
		}
		for _, q := range p.Targets {
			out = append(out, strings.NewReplacer("$__rate_interval", "5m", "$instance", ".*").Replace(q.Expr))
		}
	}
	return out
}

// TestMonitoringFitsMetrics: the alert rules and the dashboard ask for metrics that /metrics has, with
// values of labels that occur; and the dashboard shows each of ours.
func TestMonitoringFitsMetrics(t *testing.T) {
	rules, err := os.ReadFile(filepath.Join(monitoring, "alerts.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	board := queriesOf(t)
	asked := slices.Clone(board)
	for _, m := range regexp.MustCompile(`(?m)^ +expr: (.+)$`).FindAllStringSubmatch(string(rules), -1) {
		asked = append(asked, m[1])
	}
	if len(asked) == len(board) {
		t.Fatal("no rule has a query")
	}
	have, values := exported(t)
	name, label := regexp.MustCompile(`\b(?:assent|process|go)_[a-z_]+`), regexp.MustCompile(`\b(\w+)(?:=|=~)"([a-z|-]+)"`)
	for _, q := range asked {
		for _, n := range name.FindAllString(q, -1) {
			if n = strings.TrimSuffix(n, "_bucket"); !slices.Contains(have, n) {
				t.Errorf("nothing exports %s, which %s asks for", n, q)
			}
		}
		for _, m := range label.FindAllStringSubmatch(q, -1) {
			for value := range strings.SplitSeq(m[2], "|") {
				if m[1] != "job" && !slices.Contains(values[m[1]], value) {
					t.Errorf("%s has no value %q, which %s asks for", m[1], value, q)
				}
			}
		}
	}
	var missing []string
	for _, n := range have {
		if strings.HasPrefix(n, "assent_") && !slices.ContainsFunc(board, func(q string) bool {
			return slices.Contains(name.FindAllString(strings.ReplaceAll(q, "_bucket", ""), -1), n)
		}) {
			missing = append(missing, n)
		}
	}
	if d := cmp.Diff([]string(nil), missing); d != "" {
		t.Errorf("the dashboard does not show (-want +got):\n%s", d)
	}
}

// exported returns the names of all metrics, and the values of each label.
func exported(t *testing.T) (names []string, values map[string][]string) {
	t.Helper()
	m := newMetrics()
	m.ended(Outcome{}, 0, time.Time{}, time.Time{})
	m.actions.WithLabelValues("merge", "merged")
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values = map[string][]string{}
	for _, f := range families {
		names = append(names, f.GetName())
		for _, one := range f.GetMetric() {
			for _, l := range one.GetLabel() {
				values[l.GetName()] = append(values[l.GetName()], l.GetValue())
			}
		}
	}
	return names, values
}

// TestMonitoringWithPromtool: Prometheus's own program accepts the rules and the queries, each alert
// fires when it should, and the metrics follow its conventions.
func TestMonitoringWithPromtool(t *testing.T) {
	promtool := os.Getenv("ASSENT_TEST_PROMTOOL")
	if promtool == "" {
		var err error
		if promtool, err = exec.LookPath("promtool"); err != nil {
			t.Skip("no promtool: .ci/run installs it, or name it in ASSENT_TEST_PROMTOOL")
		}
	}
	var group strings.Builder
	group.WriteString("groups:\n- name: dashboard\n  rules:\n")
	for i, q := range queriesOf(t) {
		text, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&group, "  - {record: 'dashboard:query:%d', expr: %s}\n", i, text)
	}
	board := filepath.Join(t.TempDir(), "dashboard.yaml")
	if err := os.WriteFile(board, []byte(group.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	check := func(in string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), promtool, args...)
		cmd.Dir, cmd.Stdin = monitoring, strings.NewReader(in)
		out, err := cmd.CombinedOutput()
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
		} else if err != nil {
			t.Fatal(err)
		}
	}
	check("", "check", "rules", "--lint-fatal", "alerts.yaml", board)
	check("", "test", "rules", "alerts_test.yaml")
	m := newMetrics()
	m.ended(Outcome{}, 0, time.Time{}, time.Time{})
	answer := httptest.NewRecorder()
	m.handler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	check(answer.Body.String(), "check", "metrics")
}
