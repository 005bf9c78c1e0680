package ask_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/home/ask"
)

// TestEmbed: two texts get two vectors of the same length, or none is used.
func TestEmbed(t *testing.T) {
	vectors := func(all string) string { return `{"data": [` + all + `]}` }
	const one, two = `{"index": 0, "embedding": [3, 4]}`, `{"index": 1, "embedding": [0, 2]}`
	for answer, want := range map[string]string{
		vectors(one + "," + two):     "",
		vectors(two + "," + one):     "",
		vectors(one):                 "1 vectors for 2 texts",
		vectors(""):                  "0 vectors for 2 texts",
		`{"error": "down"}`:          "0 vectors for 2 texts",
		vectors(one + "," + one):     "wrong numbers",
		"<!doctype html>":            "read the answer",
		vectors(one + "," + two)[1:]: "read the answer",
		vectors(one + "," + two + `,{"index": 2, "embedding": [1, 1]}`):                     "3 vectors for 2 texts",
		vectors(one + `,{"index": 2, "embedding": [1, 1]}`):                                 "wrong numbers, such as 2",
		vectors(one + `,{"index": -1, "embedding": [1, 1]}`):                                "wrong numbers, such as -1",
		vectors(one + `,{"index": 1, "embedding": [1, NaN]}`):                               "read the answer",
		vectors(one + `,{"index": 1, "embedding": [1, 1e300]}`):                             "read the answer",
		vectors(one + `,{"index": 1, "embedding": [1, "1"]}`):                               "read the answer",
		vectors(one + `,{"index": 1, "embedding": [1, 1, 1]}`):                              "a vector has 3 dimensions",
		vectors(one + `,{"index": 1, "embedding": [0, 0]}`):                                 "length 0;",
		vectors(one + `,{"index": 1, "embedding": []}`):                                     "a vector has 0 dimensions",
		vectors(one + `,{"index": 1, "embedding": null}`):                                   "a vector has 0 dimensions",
		vectors(one + `,{"index": 1, "embedding": [3e38, 3e38]}`):                           "length 4.2",
		vectors(`{"index": 0, "embedding": [` + strings.Repeat("1,", 1<<14) + `1]},` + two): "a vector has 16385 dimensions",
		strings.Repeat(" ", 32<<20) + "{}":                                                  "more than 33554432 bytes",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/embeddings" || r.Header.Get("Authorization") != "Bearer k" {
				http.NotFound(w, r)
			}
			fmt.Fprint(w, answer)
		}))
		got, err := ask.Embedder{URL: server.URL + "/v1", Model: "m", Key: "k"}.Embed(t.Context(), []string{"a", "b"})
		server.Close()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.200q: %v, want %q", answer, err, want)
		}
		if err == nil && fmt.Sprint(got) != "[[0.6 0.8] [0 1]]" {
			t.Errorf("%q: %v", answer, got)
		}
	}
}

// TestKeyName: two hosts or ports never have the same variable, so no key goes to another service.
func TestKeyName(t *testing.T) {
	known := map[string]string{}
	for _, host := range []string{"api.example.org", "api-example.org", "api--example.org", "API.example.com", "api", "api.8443", "api-8443", "api--8443", "api---8443"} {
		for _, port := range []string{"", ":8443", ":80", ":4433"} {
			name := ask.KeyName("https://" + host + port + "/v1")
			if other, twice := known[name]; twice || !strings.HasPrefix(name, "ASSENT_KEY_API") {
				t.Errorf("%s%s and %s: %s", host, port, other, name)
			}
			known[name] = host + port
		}
	}
	for address, want := range map[string]string{
		"https://api.example.org:443/v1": "ASSENT_KEY_API_EXAMPLE_ORG", "https://api.example.org:8443/v1": "ASSENT_KEY_API_EXAMPLE_ORG___8443", "http://127.0.0.1:80": "ASSENT_KEY_127_0_0_1",
		"http://127.0.0.1:443": "ASSENT_KEY_127_0_0_1___443", "https://api_example.org": "", "https://api..org": "", "https://api.-org": "", "https://api-.org": "", "https://api.org.:8443": "", "https://ap\u0131.example.org": "",
	} {
		if name := ask.KeyName(address); name != want {
			t.Errorf("%s: %s", address, name)
		}
	}
}
