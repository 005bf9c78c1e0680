package serve

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/flows/reconcile"
	"github.com/assent-dev/assent/engine/format/proposal"
	states "github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// metrics are the metrics of /metrics. Labels have few values, none of which comes from a
// repository.
type metrics struct {
	registry   *prometheus.Registry
	passes     *prometheus.CounterVec
	took       prometheus.Histogram
	actions    *prometheus.CounterVec
	open       *prometheus.GaugeVec
	damaged    prometheus.Gauge
	waiting    prometheus.Gauge
	capable    *prometheus.GaugeVec
	failures   prometheus.Gauge
	held       prometheus.Gauge
	deliveries *prometheus.CounterVec
	last       prometheus.Gauge
	runs       prometheus.Gauge
	jobs       *prometheus.GaugeVec
	queued     prometheus.Gauge
	scripts    *prometheus.CounterVec
	over       *prometheus.CounterVec
}

func newMetrics() *metrics {
	counts := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	}
	m := &metrics{
		registry:   prometheus.NewRegistry(),
		passes:     counts("assent_passes_total", "Passes that ended, by result: ok or failed.", "result"),
		took:       prometheus.NewHistogram(prometheus.HistogramOpts{Name: "assent_pass_duration_seconds", Help: "Duration of passes.", Buckets: []float64{0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 900}}),
		actions:    counts("assent_actions_total", "Actions of passes, by action and outcome.", "action", "outcome"),
		open:       prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "assent_open_proposals", Help: "Open proposals as the last pass saw them, by state."}, []string{"state"}),
		damaged:    gauge("assent_damaged_proposals", "Unreadable open proposals; assent doctor names them."),
		waiting:    gauge("assent_reviews_waiting", "Open proposals that wait for a review."),
		capable:    prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "assent_capabilities", Help: "Tools and servers in force as the last pass saw them, by their health here."}, []string{"health"}),
		failures:   gauge("assent_failures_in_a_row", "Failed passes since the last good one."),
		held:       gauge("assent_push_held", "Items that the last push could not publish."),
		deliveries: counts("assent_webhook_deliveries_total", "Webhook deliveries by result.", "result"),
		last:       gauge("assent_last_success_timestamp_seconds", "End of the last good pass, in seconds since 1970; 0 before the first."),
	}
	m.runs = gauge("assent_active_runs", "Active runs of workflows as the last pass saw them.")
	m.jobs = prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "assent_jobs", Help: "Jobs of active runs: scripts that are due (queued), that run, and tasks that wait."}, []string{"state"})
	m.queued = gauge("assent_queue_age_seconds", "How long the longest queued script has been due; 0 for none.")
	m.scripts = counts("assent_scripts_total", "Attempts of scripts that ended beside the passes, and losses that a pass found, by result.", "result")
	m.over = counts("assent_runs_total", "Runs of workflows that this daemon saw to their end, by outcome.", "outcome")
	m.registry.MustRegister(m.runs, m.jobs, m.queued, m.scripts, m.over)
	for _, how := range []run.Outcome{run.Completed, run.Broke, run.Cancelled} {
		m.over.WithLabelValues(string(how))
	}
	for _, kind := range scriptResults() {
		m.scripts.WithLabelValues(string(kind))
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{Name: "assent_build_info", Help: "Always 1; the version is its label.", ConstLabels: prometheus.Labels{"version": version.Engine}})
	build.Set(1)
	m.registry.MustRegister(m.passes, m.took, m.actions, m.open, m.damaged, m.waiting, m.capable, m.failures, m.held, m.deliveries, m.last, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, result := range []string{"ok", "failed"} {
		m.passes.WithLabelValues(result)
	}
	for _, result := range []string{accepted, repeated, forged, malformed, tooLarge, broken, busy} {
		m.deliveries.WithLabelValues(result)
	}
	return m
}

func scriptResults() []run.Kind { return []run.Kind{run.Done, run.Failed, run.Lost} }

// job counts a record of a script, or the end of a run.
func (m *metrics) job(r run.Record) {
	if r.Kind == run.Ended {
		m.over.WithLabelValues(string(r.Outcome)).Inc()
	} else if slices.Contains(scriptResults(), r.Kind) {
		m.scripts.WithLabelValues(string(r.Kind)).Inc()
	}
}

// openStates are those that an open proposal can have.
func openStates() []proposal.State {
	return []proposal.State{
		proposal.Open, proposal.Waiting, proposal.ChangesRequested, proposal.Approved, proposal.Refused, proposal.Conflicted, proposal.Expired,
	}
}

// ended counts a pass. Values that could not be observed stay unchanged.
func (m *metrics) ended(out Outcome, failures int, began, at time.Time) {
	m.took.Observe(at.Sub(began).Seconds())
	m.failures.Set(float64(failures))
	for _, r := range out.Results {
		m.actions.WithLabelValues(r.Action, r.Outcome).Inc()
		m.scripts.WithLabelValues(string(run.Lost)).Add(float64(r.Lost))
		if r.Outcome == reconcile.Ended {
			how, _, _ := strings.Cut(r.Reason, ":")
			m.over.WithLabelValues(how).Inc()
		}
	}
	if out.Pushed != nil {
		m.held.Set(float64(len(out.Pushed.Held)))
	}
	if failures > 0 {
		m.passes.WithLabelValues("failed").Inc()
		return
	}
	m.passes.WithLabelValues("ok").Inc()
	m.last.Set(float64(at.UnixNano()) / 1e9)
	by := map[proposal.State]int{}
	for _, p := range out.Open {
		by[p.State]++
	}
	for _, s := range openStates() {
		m.open.WithLabelValues(string(s)).Set(float64(by[s]))
	}
	m.runs.Set(float64(out.Work.Runs))
	m.queued.Set(out.Work.Age.Seconds())
	for state, n := range map[string]int{"queued": out.Work.Queued, "running": out.Work.Running, "waiting": out.Work.Waiting} {
		m.jobs.WithLabelValues(state).Set(float64(n))
	}
	m.waiting.Set(float64(by[proposal.Waiting]))
	for _, s := range states.States() {
		m.capable.WithLabelValues(string(s)).Set(float64(out.Health[s]))
	}
	m.damaged.Set(float64(len(out.Damaged)))
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: scrapes})
}
