package connect

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/assent-dev/assent/engine/home"
	"github.com/assent-dev/assent/engine/home/keys"
)

// ServerVariable names the servers that a token of the environment is for, as addresses
// with commas between them. Without it a token belongs to the servers that it first went to.
const ServerVariable = "ASSENT_TOKEN_SERVER"

// ErrElsewhere says that a token of the environment would go to a server that it does not
// belong to.
var ErrElsewhere = errors.New("the token is for another server")

// ErrToken says that a token of the environment is malformed.
var ErrToken = errors.New("the token holds a blank, a line break or another control character")

const (
	loginsFile = "logins.json"
	// maxLogins bounds how many tokens are remembered; the oldest are forgotten.
	maxLogins = 200
	// maxLoginsFile is in bytes.
	maxLoginsFile = 1 << 20
	// loginPatience bounds the wait for another process that binds a token.
	loginPatience = 10 * time.Second
)

// login records the servers of a token. The token itself is not kept.
type login struct {
	Token   string   `json:"token"` // SHA-256, hexadecimal
	Servers []string `json:"servers"`
}

// checkServers refuses to send a token of the environment to servers that it does not belong to.
// The address of a service is in .git/config, which every program that works in the clone
// can write. The token's servers are in the environment or in the user's own folder. If
// that folder cannot be read or written, nothing is remembered or refused. A token with a
// line break is refused, because Git would print the part after it. The error is
// ErrElsewhere or ErrToken.
func checkServers(s Service, token string, env func(string) string) error {
	if token == "" || s.Kind == Local {
		return nil
	}
	if strings.ContainsFunc(token, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return ErrToken
	}
	servers := s.servers()
	if named := env(ServerVariable); named != "" {
		var known []string
		for one := range strings.SplitSeq(named, ",") {
			known = append(known, originOf(strings.TrimSpace(one)))
		}
		return elsewhere(servers, known)
	}
	dir, err := keys.Home()
	if err != nil {
		return nil
	}
	store := home.At(dir)
	all := readLogins(store)
	sum := sha256.Sum256([]byte(token))
	digest := hex.EncodeToString(sum[:])
	isToken := func(l login) bool { return l.Token == digest }
	if i := slices.IndexFunc(all, isToken); i >= 0 {
		return elsewhere(servers, all[i].Servers)
	}
	ctx, stop := context.WithTimeout(context.Background(), loginPatience)
	defer stop()
	err = store.Change(ctx, loginsFile, maxLoginsFile, func(old []byte) ([]byte, error) {
		all = parseLogins(old) // another process may have bound it meanwhile
		if i := slices.IndexFunc(all, isToken); i >= 0 {
			return old, nil
		}
		all = append(all, login{digest, servers})
		data, err := json.MarshalIndent(all[max(0, len(all)-maxLogins):], "", "  ")
		return append(data, '\n'), err
	})
	if i := slices.IndexFunc(all, isToken); err == nil && i >= 0 {
		return elsewhere(servers, all[i].Servers)
	}
	return nil // it is remembered next time
}

func readLogins(store home.Store) []login {
	data, err := store.Read(loginsFile, maxLoginsFile)
	if err != nil {
		return nil
	}
	return parseLogins(data)
}

// parseLogins reads the file; a damaged one holds nothing.
func parseLogins(data []byte) (all []login) {
	if json.Unmarshal(data, &all) != nil {
		return nil
	}
	return all
}

// elsewhere refuses servers that are not among those known.
func elsewhere(servers, known []string) error {
	for _, s := range servers {
		//defence:tokens-stay-with-their-server
		if !slices.Contains(known, s) {
			return fmt.Errorf("%w: it is for %s, and .git/config (assent.api, the remote's address) names %s", ErrElsewhere, strings.Join(known, " and "), s)
		}
	}
	return nil
}

// servers returns the origins that receive the token of a service: its API, and its Git
// server for pushes by http.
func (s Service) servers() []string {
	out := []string{originOf(s.API)}
	if s.Git != "" && originOf(s.Git) != out[0] {
		out = append(out, originOf(s.Git))
	}
	return out
}

// originOf returns the scheme and host of an address, in lower case; the default scheme is
// https.
func originOf(address string) string {
	if !strings.Contains(address, "://") {
		address = "https://" + address
	}
	u, err := url.Parse(strings.ToLower(address))
	if err != nil {
		return address
	}
	return u.Scheme + "://" + u.Host
}
