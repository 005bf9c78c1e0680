package egress

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

// TestUnderWay: the number of concurrent tunnels is bounded, and one that ends makes room for
// another.
func TestUnderWay(t *testing.T) {
	there := listen(t)
	go echo(there)
	proxy := proxyTo(t, there)
	var first *net.TCPConn
	for i := range maxUnderWay {
		c, status, text := tunnel(t, proxy, there)
		if status != http.StatusOK {
			t.Fatalf("tunnel %d: %d %s", i, status, text)
		}
		if first == nil {
			first = c
		}
	}
	if _, status, text := tunnel(t, proxy, there); status != http.StatusServiceUnavailable || !strings.Contains(text, "64 connections under way") {
		t.Fatalf("one more: %d %s", status, text)
	}

	_ = first.Close()
	for { // the client sees the end of its tunnel before the proxy does
		if _, status, _ := tunnel(t, proxy, there); status == http.StatusOK {
			return
		}
	}
}

// TestHalfClosed: a side that has finished sending still receives the rest, on either side.
func TestHalfClosed(t *testing.T) {
	there := listen(t)
	heard := make(chan string, 1)
	go func() {
		c, err := there.Accept()
		if err != nil {
			return
		}
		defer func() { _ = c.Close() }()
		_, _ = io.WriteString(c, "all of it")
		_ = c.(*net.TCPConn).CloseWrite()
		rest, _ := io.ReadAll(c)
		heard <- string(rest)
	}()
	c, status, text := tunnel(t, proxyTo(t, there), there)
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	if all, err := io.ReadAll(c); err != nil || string(all) != "all of it" {
		t.Fatalf("%q, %v", all, err)
	}
	if _, err := io.WriteString(c, "thanks"); err != nil {
		t.Fatal(err)
	}
	_ = c.CloseWrite()
	if got := <-heard; got != "thanks" {
		t.Errorf("the other side heard %q", got)
	}
}

// proxyTo serves a proxy that may reach one address.
func proxyTo(t *testing.T, there net.Listener) net.Listener {
	t.Helper()
	e, err := New([]string{there.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	l := listen(t)
	go e.Serve(t.Context(), l)
	return l
}

// tunnel requests a tunnel from a proxy, and returns the status and text of a refusal.
func tunnel(t *testing.T, proxy, there net.Listener) (*net.TCPConn, int, string) {
	t.Helper()
	c, err := net.Dial("tcp", proxy.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: %[1]s\r\n\r\n", there.Addr())
	// One byte at a time: the bytes after the answer belong to the tunnel.
	res, err := http.ReadResponse(bufio.NewReaderSize(iotest.OneByteReader(c), 16), &http.Request{Method: http.MethodConnect})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode == http.StatusOK {
		return c.(*net.TCPConn), res.StatusCode, ""
	}
	text, _ := io.ReadAll(res.Body)
	return c.(*net.TCPConn), res.StatusCode, string(text)
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// echo returns what it receives, on each connection.
func echo(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer func() { _ = c.Close() }()
			_, _ = io.Copy(c, c)
		}()
	}
}

func TestAccepted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limitConnections(pipes{}, 2)
		accept := func() chan net.Conn {
			out := make(chan net.Conn, 1)
			go func() {
				c, err := l.Accept()
				if err == nil {
					out <- c
				}
				close(out)
			}()
			synctest.Wait()
			return out
		}
		first, second, third := accept(), accept(), accept()
		if len(first) != 1 || len(second) != 1 || len(third) != 0 {
			t.Fatalf("accepted %d, %d, %d", len(first), len(second), len(third))
		}
		c := <-first
		_, _ = c.Close(), c.Close() // frees one place, not two
		synctest.Wait()
		fourth := accept()
		if len(third) != 1 || len(fourth) != 0 {
			t.Fatalf("after one was closed: %d, %d", len(third), len(fourth))
		}
		_ = l.Close()
		if c, ok := <-fourth; ok {
			t.Errorf("accepted %v by a listener that was closed", c)
		}
	})
}

// pipes returns a new pipe from each Accept.
type pipes struct{ net.Listener }

func (pipes) Accept() (net.Conn, error) { c, _ := net.Pipe(); return c, nil }

func (pipes) Close() error { return nil }

// TestIdle: a tunnel stays open as long as there is traffic in either direction.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, here := net.Pipe()
		server, there := net.Pipe()
		began := time.Now()
		ended := make(chan time.Duration, 1)
		go func() { join(here, here, there); ended <- time.Since(began) }()
		for range 3 {
			time.Sleep(idle - time.Second)
			go func() { _, _ = server.Write([]byte("x")) }()
			if _, err := client.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := <-ended, 3*(idle-time.Second)+idle; got != want {
			t.Errorf("ended after %v, want %v", got, want)
		}
	})
}
