package egress

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"
)

// Serve serves a listener until it is closed or the context ends. Then it closes all
// connections.
func (e *Exit) Serve(ctx context.Context, l net.Listener) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	transport := e.Transport()
	server := &http.Server{
		Handler:           limitRequests(maxUnderWay, &proxy{exit: e, ctx: ctx, plain: forwarder(transport)}),
		ReadHeaderTimeout: patience, IdleTimeout: patience, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() }) // no reader loses data
	defer stop()
	_ = server.Serve(limitConnections(l, maxAccepted)) // ends with the listener
	_ = server.Close()
}

// Transport reaches the allowed hosts and no other, without any proxy.
func (e *Exit) Transport() *http.Transport {
	return &http.Transport{
		DialContext:            func(ctx context.Context, _, addr string) (net.Conn, error) { return e.connect(ctx, addr) },
		DisableCompression:     true,
		DisableKeepAlives:      true,
		ResponseHeaderTimeout:  time.Minute,
		MaxResponseHeaderBytes: maxHeader,
	}
}

type proxy struct {
	exit  *Exit
	ctx   context.Context //nolint:containedctx // of all connections, including hijacked ones
	plain http.Handler
}

// ServeHTTP implements http.Handler: CONNECT, and plain requests with an absolute URL.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodConnect:
		p.tunnel(w, r)
	case r.URL.Scheme == "http" && r.URL.Host != "":
		p.plain.ServeHTTP(w, r)
	default:
		http.Error(w, "this is a proxy: send CONNECT, or requests for http:// addresses", http.StatusBadRequest)
	}
}

// forwarder forwards plain requests unchanged to the host of their URL.
func forwarder(transport http.RoundTripper) http.Handler {
	return &httputil.ReverseProxy{
		Transport: transport,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.Host = r.In.URL.Host
			r.Out.URL = &url.URL{Scheme: "http", Host: withPort(r.In.URL), Path: r.In.URL.Path, RawPath: r.In.URL.RawPath, RawQuery: r.In.URL.RawQuery}
		},
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, err error) { refuse(w, err) },
		FlushInterval: -1,
		ErrorLog:      nil,
	}
}

func withPort(u *url.URL) string {
	if u.Port() != "" {
		return u.Host
	}
	return net.JoinHostPort(u.Hostname(), "80")
}

func (p *proxy) tunnel(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	there, err := p.exit.connect(ctx, r.Host)
	if err != nil {
		refuse(w, err)
		return
	}
	defer func() { _ = there.Close() }() // both directions have ended
	here, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		refuse(w, err)
		return
	}
	defer func() { _ = here.Close() }() // both directions have ended
	stop := context.AfterFunc(p.ctx, func() { _, _ = here.Close(), there.Close() })
	defer stop()
	if _, err := io.WriteString(here, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	join(here, buffered, there)
}

// refuse returns the error, with a status that distinguishes refusals from failures.
func refuse(w http.ResponseWriter, err error) {
	status := http.StatusBadGateway
	if errors.As(err, new(*Refused)) {
		status = http.StatusForbidden
	}
	http.Error(w, err.Error(), status)
}
