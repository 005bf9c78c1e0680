package main

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
)

// server is a database and how to log in.
type server struct {
	uri, user, password, database string
}

// serverOf reads a URI, and the login from the variables that cypher-shell reads.
func serverOf(uri string, env func(string) string) (server, error) {
	s := server{uri: uri, user: cmp.Or(env("NEO4J_USERNAME"), "neo4j"), password: env("NEO4J_PASSWORD"), database: env("NEO4J_DATABASE")}
	u, err := url.Parse(uri)
	if err != nil {
		return s, errors.New("the address is no URI: want one such as bolt://localhost:7687")
	}
	scheme, security, secure := strings.Cut(u.Scheme, "+")
	switch {
	case u.User != nil: // it would be seen in the list of processes
		return s, errors.New("put the login into NEO4J_USERNAME and NEO4J_PASSWORD, not into the URI")
	case !slices.Contains([]string{"bolt", "neo4j"}, scheme) || secure && security != "s" && security != "ssc" || u.Hostname() == "":
		return s, fmt.Errorf("%q: want bolt:// or neo4j:// and a host, with TLS bolt+s://, neo4j+s:// or +ssc for a self-signed certificate", uri)
	case !secure && s.password != "" && !loopback(u.Hostname()):
		return s, fmt.Errorf("the password would be sent to %s without encryption: use %s+s://, or %[2]s+ssc:// for a self-signed certificate", u.Hostname(), scheme)
	}
	return s, nil
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
