package rest_test

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/forge/rest"
)

func TestReadPages(t *testing.T) {
	same := func(n int) int { return n }
	for name, c := range map[string]struct {
		pages  [][]int
		key    func(int) int
		enough func([]int) bool
		want   []int
		asked  int
	}{
		"none":           {[][]int{{}}, same, nil, nil, 1},
		"two":            {[][]int{{1, 2}, {3}}, same, nil, []int{1, 2, 3}, 2},
		"one comes back": {[][]int{{1, 2}, {2, 3}}, same, nil, []int{1, 2, 3}, 2},
		"without a key":  {[][]int{{1, 2}, {2, 3}}, nil, nil, []int{1, 2, 2, 3}, 2},
		"nothing new":    {[][]int{{1}, {1}, {2}}, same, nil, []int{1}, 2},
		"enough":         {[][]int{{1}, {2}, {3}}, same, func(p []int) bool { return p[0] == 2 }, []int{1, 2}, 2},
	} {
		asked := 0
		got, err := rest.ReadPages(rest.NewBudget("a list", rest.MaxList), c.key, func(n int) ([]int, *http.Response, bool, error) {
			asked = n
			return c.pages[n-1], &http.Response{}, n < len(c.pages), nil
		}, c.enough)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil || asked != c.asked {
			t.Errorf("%s: %v after %d pages (-want +got)\n%s", name, err, asked, diff)
		}
	}
	n := 0
	if _, err := rest.ReadPages(rest.NewBudget("a list", rest.MaxList), same, func(int) ([]int, *http.Response, bool, error) {
		n++
		return []int{n}, &http.Response{}, true, nil
	}, nil); err == nil || n != rest.MaxPages {
		t.Errorf("an endless list: %v after %d pages", err, n)
	}
}

func TestBounded(t *testing.T) {
	answers := map[string]string{"/full": "{}", "/empty": " \n", "/large": strings.Repeat("x", 32<<20+1), "/packed": strings.Repeat("x", 32<<20+1),
		"/many": "[" + strings.Repeat("{},", 300_000) + "{}]", "/text": `"\"` + strings.Repeat(",{", 300_000) + `"`}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := io.Writer(w)
		if r.URL.Path == "/packed" {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			defer z.Close()
			out = z
		}
		_, _ = io.WriteString(out, answers[r.URL.Path])
	}))
	t.Cleanup(server.Close)
	get := func(b rest.Bounded, path string) error {
		b.Next = http.DefaultTransport
		resp, err := rest.Client(b).Get(server.URL + path)
		if err != nil {
			return err
		}
		text, err := io.ReadAll(resp.Body)
		if err == nil && string(text) != answers[path] {
			t.Errorf("%s: %d bytes", path, len(text))
		}
		return errors.Join(err, resp.Body.Close())
	}
	for _, path := range []string{"/full", "/empty"} {
		if err := get(rest.Bounded{}, path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, path := range []string{"/large", "/packed", "/many"} {
		if err := get(rest.Bounded{}, path); !errors.Is(err, rest.ErrTooLarge) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := get(rest.Bounded{}, "/text"); err != nil {
		t.Errorf("commas in a string: %v", err)
	}
	if err := get(rest.Bounded{NotEmpty: true}, "/empty"); err == nil {
		t.Error("an empty answer was accepted")
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		cut   func(string, int) string
		text  string
		limit int
		want  string
	}{
		{rest.CutBytes, "abc", 3, "abc"}, {rest.CutBytes, "abcdefg", 6, "abc…"}, {rest.CutBytes, "aäöü", 6, "aä…"},
		{rest.CutRunes, "äöü", 3, "äöü"}, {rest.CutRunes, "äöüß", 3, "äö…"},
	} {
		if got := c.cut(c.text, c.limit); got != c.want {
			t.Errorf("%q at %d: %q, want %q", c.text, c.limit, got, c.want)
		}
	}
}
