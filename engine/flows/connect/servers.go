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

// ErrElsewhere says that a token of the environment would go to a server that it is not for.
var ErrElsewhere = errors.New("the token is for another server")

// ErrToken says that a token of the environment cannot be one.
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

// login is where a token went first. The token itself is not kept.
type login struct {
	Token   string   `json:"token"` // SHA-256, hexadecimal
	Servers []string `json:"servers"`
}

// bound refuses a token of the environment for a service on other servers than it is for.
// The address of a service stands in .git/config, which every program that works in the
// clone can write; what a token is for stands in the environment or in the user's own
// folder. A folder that cannot be read or written remembers nothing, and refuses nothing.
// Git shows what follows a line break to whoever looks. The error is ErrElsewhere or ErrToken.
func bound(s Service, token string, env func(string) string) error {
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

// servers are where the token of a service goes: to its API, and with pushes by http.
func (s Service) servers() []string {
	out := []string{originOf(s.API)}
	if s.Git != "" && originOf(s.Git) != out[0] {
		out = append(out, originOf(s.Git))
	}
	return out
}

// originOf is the scheme and host of an address, in lower case; https where it has no scheme.
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
