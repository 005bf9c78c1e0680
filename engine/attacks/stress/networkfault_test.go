package stress_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// faults are the things that may happen to a request without a kill, and how often in a thousand.
var faults = []struct {
	name     string
	permille int
	happens  func(*network, call) answer
}{
	{"request lost", 6, func(*network, call) answer { return answer{err: errLost} }},
	{"answer lost", 6, func(n *network, c call) answer { n.forward(c); return answer{err: errLost} }},
	{"answer cut off", 4, func(n *network, c call) answer { a := n.forward(c); a.cut = true; return a }},
	{"502 instead of the server", 6, func(*network, call) answer { return badGateway() }},
	{"502 instead of the answer", 6, func(n *network, c call) answer { n.forward(c); return badGateway() }},
	{"late", 40, func(n *network, c call) answer { n.hold(n.roll(20), longest); return n.forward(c) }},
	{"answer late", 20, func(n *network, c call) answer { a := n.forward(c); n.hold(n.roll(20), longest); return a }},
	{"twice, first answer", 20, func(n *network, c call) answer { a := n.forward(c); n.forward(c); return a }},
	{"twice, second answer", 20, func(n *network, c call) answer { n.forward(c); return n.forward(c) }},
	{"again much later", 20, func(n *network, c call) answer {
		a := n.forward(c)
		n.late.Go(func() { n.hold(20+n.roll(200), 20*longest); n.forward(c) })
		return a
	}},
}

// longest is the maximum delay of a message if nothing else happens.
const longest = 300 * time.Millisecond

func badGateway() answer {
	return answer{status: http.StatusBadGateway, header: http.Header{"Content-Type": {"text/html"}}, body: []byte("<h1>502 Bad Gateway</h1>\n")}
}

func (n *network) roll(sides int) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return 1 + n.rand.IntN(sides)
}

// fault returns the treatment of the next request, which most often is none.
func (n *network) fault() func(*network, call) answer {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.calm {
		return (*network).forward
	}
	at := n.rand.IntN(1000)
	for _, f := range faults {
		if at -= f.permille; at < 0 {
			n.counts["fault: "+f.name]++
			return f.happens
		}
	}
	return (*network).forward
}

// The ways to die between a request and its answer. The last one is different: the server never
// gets the request.
var deaths = []struct {
	name   string
	weight int
	dies   func(n *network, c call) (answer, bool)
}{
	{"the server had answered", 4, func(n *network, c call) (answer, bool) { a := n.forward(c); return a, n.kill(c.line, c.life) }},
	{"the request was on its way", 3, func(n *network, c call) (answer, bool) { dead := n.kill(c.line, c.life); return n.forward(c), dead }},
	{"the server was at it", 3, func(n *network, c call) (answer, bool) {
		dead := make(chan bool)
		go func() { dead <- n.kill(c.line, c.life) }()
		a := n.forward(c)
		return a, <-dead
	}},
	{"the request got lost as well", 1, func(n *network, c call) (answer, bool) { return answer{err: errLost}, n.kill(c.line, c.life) }},
}

// strike kills the sender of a merge request, two times of three, until there were enough kills.
// The answer is then dropped.
func (n *network) strike(c call) (answer, bool) {
	what := c.merge()
	n.mu.Lock()
	due := false
	if what != "" {
		n.counts["seen: "+what]++
		due = !n.calm && n.counts["seen: "+what]%3 > 0 && n.counts["killed: "+what] < n.wanted
	}
	if what == pushOfMain {
		n.merges++
	}
	at := n.rand.IntN(11)
	n.mu.Unlock()
	if !due {
		return answer{}, false
	}
	for _, d := range deaths {
		if at -= d.weight; at >= 0 {
			continue
		}
		a, dead := d.dies(n, c)
		how := "the server did not do it"
		if a.taken(what) {
			how = "the server did it"
		}
		switch {
		case !dead:
			how = "came too late"
		case a.err == nil: // the server had it
			n.count("killed: " + what)
		}
		n.count(fmt.Sprintf("death at a %s: %s, %s", what, d.name, how))
		return answer{err: errLost}, true
	}
	return answer{}, false
}

// The requests of a merge.
const (
	pushOfMain = "push of main"
	markMerged = "mark as merged"
)

// merge returns which of a merge's requests it is, "" for none.
func (c call) merge() string {
	switch {
	case c.method != http.MethodPost:
	case strings.HasSuffix(c.uri, "/git-receive-pack") && moves(c.body, "refs/heads/main"):
		return pushOfMain
	case strings.Contains(c.uri, "/pulls/") && strings.HasSuffix(c.uri, "/merge"):
		return markMerged
	}
	return ""
}

// moves reads the commands of a push: lines with their length before them, up to one
// without.
func moves(body []byte, ref string) bool {
	for len(body) >= 4 {
		size, err := strconv.ParseUint(string(body[:4]), 16, 16)
		if err != nil || size < 4 || int(size) > len(body) {
			return false
		}
		command, _, _ := bytes.Cut(body[4:size], []byte{0})
		if strings.HasSuffix(strings.TrimSpace(string(command)), " "+ref) {
			return true
		}
		body = body[size:]
	}
	return false
}

// taken reports whether the server did the requested act.
func (a answer) taken(what string) bool {
	if what == pushOfMain {
		return a.status == http.StatusOK && bytes.Contains(a.body, []byte("ok refs/heads/main"))
	}
	return a.err == nil && a.status/100 == 2
}
