package sandbox_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/sandbox"
)

// get is a shell script that requests addresses through the proxy in the environment and prints
// each status line; it implements CONNECT itself.
const get = `
for url in "$@"; do
  hostport=${HTTP_PROXY#http://}
  exec 3<>/dev/tcp/${hostport%:*}/${hostport#*:} || { echo unreachable; continue; }
  case $url in
  http:*) printf 'GET %s HTTP/1.0\r\n\r\n' "$url" >&3 ;;
  *) printf 'CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n' "$url" "$url" >&3
     read -r _ status _ <&3
     [ "$status" = 200 ] || { echo "$status"; continue; }
     read -r _ <&3
     printf 'GET / HTTP/1.0\r\n\r\n' >&3 ;;
  esac
  read -r _ status _ <&3
  echo "$status"
done
`

func TestNetwork(t *testing.T) {
	box := isolating(t)
	server := func(text string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }))
		t.Cleanup(s.Close)
		return strings.TrimPrefix(s.URL, "http://")
	}
	allowed, other := server("allowed"), server("other")
	_, port, _ := strings.Cut(other, ":")
	run := func(t *testing.T, hosts []string, code string, args ...string) string {
		t.Helper()
		r, err := box.Run(t.Context(), sandbox.Spec{Args: append([]string{"bash", "-c", code, "bash"}, args...), Hosts: hosts})
		if err != nil {
			t.Fatal(err)
		}
		return string(r.Stdout) + string(r.Stderr)
	}
	hosts := []string{allowed, "localhost:" + port}
	for what, want := range map[string]string{
		"http://" + allowed + "/":        "200\n",
		allowed:                          "200\n",
		"http://" + other + "/":          "403\n", // an address not in the Spec
		other:                            "403\n",
		"localhost:" + port:              "403\n", // a name in the Spec, at an address that is not public
		"http://localhost:" + port + "/": "403\n",
	} {
		t.Run(what, func(t *testing.T) {
			if got := run(t, hosts, get, what); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
	t.Run("not by the proxy", func(t *testing.T) {
		got := run(t, hosts, `echo > /dev/tcp/${1%:*}/${1#*:} && echo reached; echo > /dev/udp/127.0.0.1/53 && echo reached`, allowed)
		if strings.Contains(got, "reached") || strings.Count(got, "/dev/") < 2 {
			t.Errorf("%q", got)
		}
	})
	t.Run("no interface but its own", func(t *testing.T) {
		for _, list := range [][]string{nil, hosts} {
			if got := run(t, list, `while read -r name _; do case $name in *:) echo "$name" ;; esac; done < /proc/net/dev`); got != "lo:\n" {
				t.Errorf("%q", got)
			}
		}
	})
	t.Run("none", func(t *testing.T) {
		got := run(t, nil, `echo "[$HTTP_PROXY]"; echo > /dev/tcp/127.0.0.1/3128 && echo reached`)
		if !strings.HasPrefix(got, "[]\n") || strings.Contains(got, "reached") {
			t.Errorf("%q", got)
		}
	})
}
