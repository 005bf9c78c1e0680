package policy

import "testing"

func TestAdmitsHost(t *testing.T) {
	s := Security{Hosts: []string{"api.example.org:443", "*.example.net:443"}}
	for host, want := range map[string]bool{
		"api.example.org:443": true, "api.example.org:80": false, "x.api.example.org:443": false,
		"a.example.net:443": true, "a.b.example.net:443": true, "example.net:443": false, ".example.net:443": false,
		"evilexample.net:443": false, "a.example.net:8443": false, "": false,
	} {
		if got := s.AdmitsHost(host); got != want {
			t.Errorf("%q admitted: %v", host, got)
		}
	}
}
