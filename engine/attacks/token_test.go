package attacks_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

func tokenDefences() map[string]defence {
	return map[string]defence{"tokens-stay-with-their-server": {attack: "TestAttackToken/assent.api"}}
}

// listener returns a server that refuses requests without a login, and counts those with one.
func (d *world) listener() (url string, logins *atomic.Int32) {
	d.Helper()
	logins = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			logins.Add(1)
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="here"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	d.Cleanup(s.Close)
	return s.URL, logins
}

// .git/config holds the address of a service. A token that was sent to one server is sent to no
// other server that is configured later.
func TestAttackToken(t *testing.T) {
	for name, set := range map[string]func(d *world, ours, theirs string){
		"assent.api": func(d *world, _, theirs string) { d.git("config", "assent.api", theirs) },
		"the remote's address": func(d *world, _, theirs string) {
			d.git("config", "remote.origin.url", theirs+"/ada/agents.git")
		},
		"another remote": func(d *world, _, theirs string) {
			d.git("remote", "add", "other", theirs+"/ada/agents.git")
			d.git("config", "assent.remote", "other")
		},
		"an address to push to": func(d *world, _, theirs string) {
			d.git("config", "remote.origin.pushurl", theirs+"/ada/agents.git")
		},
		"another address for the server": func(d *world, ours, theirs string) {
			d.git("config", "url."+theirs+"/.insteadOf", ours+"/")
		},
		"another name for the server": func(d *world, ours, theirs string) {
			d.git("config", "assent.api", strings.Replace(theirs, "127.0.0.1", "localhost", 1))
		},
	} {
		attack(t, name, func(d *world) {
			ours, known := d.listener()
			theirs, stolen := d.listener()
			d.Setenv("ASSENT_TOKEN", "the-token-of-ada")
			d.git("config", "assent.forge", "gitea")
			d.git("remote", "add", "origin", ours+"/ada/agents.git")
			d.code("pull")
			if known.Load() == 0 {
				d.Fatal("the token does not even go to its own server")
			}
			set(d, ours, theirs)
			for _, args := range [][]string{{"pull"}, {"push"}, {"status"}, {"doctor", "--remote"}, {"reconcile"}, {"serve", "--once", "--remote", "origin"}} {
				d.code(args...)
				if stolen.Load() > 0 {
					d.succeeds("assent %s sends the token to another server", strings.Join(args, " "))
				}
			}
		})
	}
}
