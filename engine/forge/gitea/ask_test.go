package gitea

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/rest"
)

func serve(t *testing.T, answer http.HandlerFunc) *Host {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	h, err := New(Options{URL: server.URL, Owner: "o", Repo: "r", Token: "secret", UserAgent: "assent-test",
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestRedirectsAreNotFollowed: a redirect neither receives the token nor changes a
// request into another.
func TestRedirectsAreNotFollowed(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s arrived elsewhere, with %q", r.Method, r.URL, r.Header.Get("Authorization"))
	}))
	t.Cleanup(other.Close)
	h := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusMovedPermanently)
	})
	_, err := h.Find(t.Context(), "b", "main")
	var d *host.Denied
	if !errors.As(err, &d) || d.Status != http.StatusMovedPermanently || !strings.Contains(d.Said, other.URL) || d.Fix == "" {
		t.Errorf("%v", err)
	}
}

// TestListsEnd: an endless list is given up; a list that repeats its entries has ended.
func TestListsEnd(t *testing.T) {
	asked := 0
	same := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		asked++
		fmt.Fprint(w, `[null,{"number":1,"head":{"label":"b","sha":"`+at('a').String()+`"},"base":{}}]`)
	})
	list, err := same.List(t.Context(), "", false)
	if err != nil || len(list) != 1 || asked != 2 {
		t.Errorf("%v, %v after %d pages", list, err, asked)
	}
	n := 0
	endless := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		n++
		fmt.Fprintf(w, `[{"number":%d,"head":{"label":"b","sha":"%s"},"base":{}}]`, n, at('a'))
	})
	if _, err := endless.List(t.Context(), "", false); err == nil || n > rest.MaxPages {
		t.Errorf("%v after %d pages", err, n)
	}
}

// TestListsAreBounded: large pages, or pages of many entries, end a list before it fills
// memory.
func TestListsAreBounded(t *testing.T) {
	var asked int
	var fill func(id int) string
	h := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/branches/b"):
			fmt.Fprintf(w, `{"name":"b","commit":{"id":"%s"}}`, at('a'))
		case strings.HasSuffix(r.URL.Path, "/user"):
			fmt.Fprint(w, `{"id":1,"login":"engine"}`)
		default:
			asked++
			fmt.Fprint(w, fill(asked*10_000))
		}
	})
	h.maxList = 1 << 20
	for shape, of := range map[string]func(id int) string{
		"large pages": func(id int) string {
			return fmt.Sprintf(`[{"id":%d,"number":%d,"body":"%s"}]`, id, id, strings.Repeat("x", 300<<10))
		},
		"many entries": func(id int) string {
			var entries []string
			for n := range 300 {
				entries = append(entries, fmt.Sprintf(`{"id":%d,"number":%d}`, id+n, id+n))
			}
			return "[" + strings.Join(entries, ",") + "]"
		},
	} {
		for name, read := range map[string]func() error{
			"List":     func() error { _, err := h.List(t.Context(), "", false); return err },
			"Reviews":  func() error { _, err := h.Reviews(t.Context(), 1); return err },
			"Comments": func() error { _, err := h.Comments(t.Context(), 1); return err },
			"Label":    func() error { return h.Label(t.Context(), 1, []string{host.LabelPrefix + "x"}) },
			"Queued":   func() error { _, err := h.Queued(t.Context(), 1); return err },
			"Pushes":   func() error { _, err := h.Pushes(t.Context(), "b"); return err },
		} {
			asked, fill = 0, of
			if err := read(); !errors.Is(err, rest.ErrTooLarge) || !strings.Contains(err.Error(), h.URL) || asked > 5 {
				t.Errorf("%s of %s: %v after %d pages", name, shape, err, asked)
			}
		}
	}
}

func TestRetryAfter(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"": 0, "0": 0, "-3": 0, "x": 0, "7": 7 * time.Second, "Mon, 02 Jan 2006 15:04:05 GMT": 0,
	} {
		if got := retryAfter(http.Header{"Retry-After": {value}}); got != want {
			t.Errorf("%q: %s; want %s", value, got, want)
		}
	}
	date := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	if got := retryAfter(http.Header{"Retry-After": {date}}); got < 50*time.Minute {
		t.Errorf("%q: %s", date, got)
	}
	h := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "86400")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	var naps int
	h.Sleep = func(context.Context, time.Duration) error { naps++; return nil }
	if _, err := h.Login(t.Context()); err == nil || naps > 0 {
		t.Errorf("%v, and it slept %d times where a day was asked for", err, naps)
	}
}

// TestNew refuses values that are no server address, and does not quote a password in
// one.
func TestNew(t *testing.T) {
	for _, address := range []string{"", "git.example.org", "ssh://git@example.org/x", "file:///etc", "https://ada:hunter2@git.example.org", "https://git.example.org/?a=b", ":"} {
		_, err := New(Options{URL: address, Owner: "o", Repo: "r"})
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", address, err)
		}
	}
	for _, address := range []string{"https://git.example.org", "https://git.example.org/", "https://git.example.org/api/v1/"} {
		h, err := New(Options{URL: address, Owner: "o", Repo: "r"})
		if err != nil || h.URL != "https://git.example.org" {
			t.Errorf("%q: %v, %v", address, h, err)
		}
	}
	if _, err := New(Options{URL: "https://git.example.org", Owner: "o"}); err == nil {
		t.Error("no repository was accepted")
	}
}

func TestMarker(t *testing.T) {
	for _, key := range []string{"", "report", "--> <b>", "日本語"} {
		for _, body := range []string{"", "text", "<!-- assent:cmVwb3J0 -->\nimitated", "a\nb"} {
			k, b := unmarked(marked(key, body))
			if k != key || b != body {
				t.Errorf("%q %q became %q %q", key, body, k, b)
			}
		}
	}
	for _, text := range []string{"", "text", " <!-- assent:cmVwb3J0 -->\nx", "<!-- assent:??? -->\nx", "<!-- assent:cmVwb3J0", "> <!-- assent:cmVwb3J0 -->\nx"} {
		if k, b := unmarked(text); k != "" || b != text {
			t.Errorf("%q has the key %q and the body %q", text, k, b)
		}
	}
}

// TestHeldForEmpty: while the server takes the repository for empty, it answers 404 about
// pull requests. Only for a really empty one does that mean none exist; creating one is
// retried.
func TestHeldForEmpty(t *testing.T) {
	for name, c := range map[string]struct {
		empty int // how often the server calls it empty
		well  bool
	}{
		"at first": {3, true},
		"for good": {attempts + 2, false},
		"never":    {0, false},
	} {
		looked, tries := 0, 0
		h := serve(t, func(w http.ResponseWriter, r *http.Request) {
			pr := `{"number":1,"state":"open","head":{"ref":"b","label":"b","sha":"` + at('a').String() + `"},"base":{"ref":"main"}}`
			switch {
			case r.URL.Path == "/api/v1/repos/o/r":
				looked++
				fmt.Fprintf(w, `{"default_branch":"main","empty":%v}`, looked <= c.empty)
			case !c.well || looked <= c.empty:
				if r.Method == http.MethodPost {
					tries++
				}
				http.Error(w, `{"message":"not found"}`, http.StatusNotFound)
			case r.Method == http.MethodPost:
				w.WriteHeader(http.StatusCreated)
				fmt.Fprint(w, pr)
			default:
				fmt.Fprint(w, `[`+pr+`]`)
			}
		})
		made, err := h.Create(t.Context(), host.New{Branch: "b", Base: "main", Title: "T"})
		if c.well != (err == nil && made.Number == 1) {
			t.Errorf("%s: %+v, %v", name, made, err)
		}
		if name == "never" && (tries > 1 || !missing(err)) {
			t.Errorf("%s: tried %d times: %v", name, tries, err)
		}
	}
}

// TestUnsure: a server that has not checked a pull request yet merges it later. If it
// keeps answering so, there may be a conflict, which the error says.
func TestUnsure(t *testing.T) {
	for unsure, merges := range map[int]bool{0: true, attempts + unlooked - 1: true, attempts + unlooked: false} {
		asked := 0
		h := serve(t, func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == http.MethodGet:
				fmt.Fprintf(w, `{"number":3,"state":"open","head":{"label":"b","sha":"%s"},"base":{}}`, at('a'))
			case asked < unsure:
				asked++
				w.WriteHeader(http.StatusMethodNotAllowed)
				fmt.Fprint(w, `{"message":"Please try again later"}`)
			}
		})
		_, err := h.Merge(t.Context(), 3, host.Merge{Head: at('a'), Title: "add tea"})
		var d *host.Denied
		if merges != (err == nil) || !merges && (!errors.As(err, &d) || !strings.Contains(d.Error(), "assent rebase")) {
			t.Errorf("unsure %d times: %v", unsure, err)
		}
	}
}
