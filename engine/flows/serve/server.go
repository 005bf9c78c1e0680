package serve

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/netutil"
)

// The limits of one client: the time for its headers, its whole request and the answer, and
// the size of its headers. Connections are limited for all clients together.
const (
	headerTime   = 5 * time.Second
	requestTime  = 30 * time.Second
	idleTime     = time.Minute
	maxHeaders   = 16 << 10
	maxConnected = 128
)

func bounded(l net.Listener) net.Listener { return netutil.LimitListener(l, maxConnected) }

// server handles HTTP requests to the daemon.
func (d *Daemon) server() *http.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "alive\n") })
	mux.HandleFunc("GET /healthz", d.health.handle)
	mux.Handle("GET /metrics", d.metrics.handler())
	if d.hooks != nil {
		mux.Handle("POST /webhook", d.hooks)
	}
	if d.MCP != nil {
		mux.Handle("/mcp", checkOrigin(d.Hosts, d.MCP))
	}
	return &http.Server{
		Handler:           checkHost(d.Hosts, mux),
		ReadHeaderTimeout: headerTime, ReadTimeout: requestTime, WriteTimeout: requestTime, IdleTimeout: idleTime,
		MaxHeaderBytes: maxHeaders,
		ErrorLog:       slog.NewLogLogger(d.Log.Handler(), slog.LevelDebug),
	}
}

// checkHost passes only requests whose Host names this daemon. A web page can make its own name
// resolve to any address, but it cannot change the Host that the browser sends.
func checkHost(hosts []string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if !named(hosts, r.Host) {
			http.Error(w, "this daemon is not asked for by that name; assent serve --host NAME allows one", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// checkOrigin refuses requests that a page of another origin sends, as the Model Context Protocol demands. Clients that
// are no browser send no Origin. A proxy with TLS can change the Host, so that the page's own host may also be in hosts.
func checkOrigin(hosts []string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, origin := range r.Header.Values("Origin") {
			u, err := url.Parse(origin)
			own := func(h string) bool { return strings.EqualFold(h, u.Hostname()) }
			if err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) && !slices.ContainsFunc(hosts, own) {
				http.Error(w, "cross-origin request refused; allow the page's host with assent serve --host NAME", http.StatusForbidden)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// named reports whether host, with or without a port, is an address, localhost or
// one of hosts.
func named(hosts []string, host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return true
	}
	return host == "localhost" || slices.ContainsFunc(hosts, func(h string) bool { return strings.EqualFold(h, host) })
}
