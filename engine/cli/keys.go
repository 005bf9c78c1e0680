package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/crypto/ssh"
	"golang.org/x/term"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

func newKeys(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "Whose signatures count, and which of your keys are among them",
		Long: `Keys lists the identities in policies/roles.yaml as it is in force, with the
fingerprints of their keys, and the keys that you have on this machine.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runKeys(cmd.Context(), c) },
	}
	cmd.AddCommand(newKeysNew(c), newKeysRevoke(c), newKeysAudit(c), newKeysReapprove(c), newKeysReanchor(c), newKeysUnattended(c))
	return cmd
}

// keysJSON tells which keys there are.
type keysJSON struct {
	// Mine are the keys on this machine.
	Mine []myKeyJSON `json:"mine"`
	// Identities are those of roles.yaml; none outside a workspace.
	Identities []identityJSON `json:"identities"`
}

type myKeyJSON struct {
	Path        string             `json:"path"`
	Fingerprint review.Fingerprint `json:"fingerprint"`
	// Default is set for the key that signs when none is named.
	Default bool `json:"default"`
	// Identity that lists it, empty when none does.
	Identity string `json:"identity"`
	// Revoked names whose key it was, if it is revoked.
	Revoked string `json:"revoked,omitempty"`
}

type identityJSON struct {
	Name   string               `json:"name"`
	Kind   policy.IdentityKind  `json:"kind"`
	Keys   []review.Fingerprint `json:"keys"`
	Emails []string             `json:"emails"`
	Roles  []string             `json:"roles"`
	Mine   bool                 `json:"mine"`
	// Owner is the person who runs an agent.
	Owner string `json:"owner"`
	// Revoked are keys whose signatures prove nothing any more.
	Revoked []policy.Revocation `json:"revoked"`
}

func runKeys(ctx context.Context, c *console) error {
	cur, err := c.current(ctx)
	outside := errors.Is(err, gitstore.ErrNotRepository) || errors.Is(err, attest.ErrNoMain) || errors.Is(err, attest.ErrNoGenesis)
	if err != nil && !outside {
		return err
	}
	out := keysJSON{Identities: []identityJSON{}}
	if out.Mine, err = myKeys(cur.Workspace, cur.Policies.Roles); err != nil {
		return err
	}
	for _, id := range cur.Policies.Roles.All() {
		out.Identities = append(out.Identities, identityOf(cur.Policies.Roles, id, out.Mine))
	}
	if c.json {
		return c.emit(out)
	}
	c.keys(out)
	return nil
}

func identityOf(roles policy.Roles, id policy.Identity, mine []myKeyJSON) identityJSON {
	out := identityJSON{Name: id.Name, Kind: id.Kind, Keys: id.Keys, Emails: some(id.Emails), Roles: some(roles.RolesOf(id)), Owner: id.Owner, Revoked: append([]policy.Revocation{}, id.Revoked...)}
	if out.Keys == nil {
		out.Keys = []review.Fingerprint{}
	}
	for _, k := range mine {
		out.Mine = out.Mine || k.Identity == id.Name
	}
	return out
}

// myKeys are the key that signs when none is named and those in the user's folder.
func myKeys(w *workspace.Workspace, roles policy.Roles) ([]myKeyJSON, error) {
	standard, err := defaultKey(w)
	if err != nil {
		return nil, err
	}
	home, err := keys.Home()
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(home, "keys", "*.pub"))
	if err != nil {
		return nil, fmt.Errorf("list the keys in %s: %w", home, err)
	}
	specs := []string{standard}
	for _, f := range files {
		if spec := strings.TrimSuffix(f, ".pub"); spec != standard && f != standard {
			specs = append(specs, spec)
		}
	}
	out := []myKeyJSON{}
	for _, spec := range specs {
		key, err := keys.Public(spec)
		if errors.Is(err, keys.ErrMissing) || errors.Is(err, keys.ErrAgent) || errors.Is(err, keys.ErrNotKey) || errors.Is(err, keys.ErrPassphrase) {
			continue
		}
		if err != nil {
			return nil, err
		}
		k := myKeyJSON{Path: spec, Fingerprint: review.FingerprintOf(key), Default: spec == standard}
		if id, ok := roles.ByKey(k.Fingerprint); ok {
			k.Identity = id.Name
		}
		if id, _, revoked := roles.RevokedKey(k.Fingerprint); revoked {
			k.Revoked = id.Name
		}
		out = append(out, k)
	}
	return out, nil
}

// defaultKey is the key that signs when none is named.
func defaultKey(w *workspace.Workspace) (string, error) {
	git := ""
	if w != nil && w.Repo.Config("gpg.format") == "ssh" {
		git = w.Repo.Config("user.signingkey")
	}
	return keys.Default(git)
}

func (c *console) keys(out keysJSON) {
	if len(out.Mine) == 0 {
		c.printf("you have no key for reviews; make one: assent keys new\n")
	}
	for _, k := range out.Mine {
		whose := c.style.warn("nobody in roles.yaml")
		if k.Identity != "" {
			whose = c.style.good(oneLine(k.Identity))
		}
		if k.Revoked != "" {
			whose += "; it was a key of " + oneLine(k.Revoked) + " and is revoked"
		}
		c.printf("%s  %s\n", k.Fingerprint, oneLine(k.Path))
		c.field("yours", "stands for "+whose)
	}
	for _, id := range out.Identities {
		mine := ""
		if id.Mine {
			mine = c.style.good("  you")
		}
		c.printf("%s  %s%s\n", c.style.bold(oneLine(id.Name)), id.Kind, mine)
		c.optional("roles", strings.Join(id.Roles, ", "))
		c.optional("owner", oneLine(id.Owner))
		for _, k := range id.Keys {
			c.field("key", oneLine(string(k)))
		}
		for _, r := range id.Revoked {
			c.field("revoked", oneLine(string(r.Key))+" from "+r.From.UTC().Format(time.RFC3339)+": "+oneLine(r.Reason))
		}
	}
}

type newKeyOptions struct {
	dryRun bool
	name   string
	prompt bool
}

func newKeysNew(c *console) *cobra.Command {
	o := newKeyOptions{name: keys.DefaultName}
	cmd := &cobra.Command{
		Use:   "new [NAME]",
		Short: "Make an SSH key for reviews, outside of every workspace",
		Long: `New makes an Ed25519 key in your own folder and prints the line to put into
policies/roles.yaml (by a proposal). A key without a passphrase can be used by every
program that runs as you, agents included.`,
		Example: `  assent keys new
  assent keys new work --passphrase-prompt`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.name = args[0]
			}
			return runKeysNew(c, o)
		},
	}
	cmd.Flags().BoolVar(&o.prompt, "passphrase-prompt", false, "ask for a passphrase on the terminal")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say where the key would be written, but make none")
	return cmd
}

// newKeyJSON is a key that was just made.
type newKeyJSON struct {
	Path        string             `json:"path"`
	Fingerprint review.Fingerprint `json:"fingerprint"`
	// Public is the line for roles.yaml.
	Public    string `json:"public"`
	Encrypted bool   `json:"encrypted"`
	DryRun    bool   `json:"dry_run,omitempty"`
}

// keyName is what a file of keys can be called on every system.
var keyName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

func runKeysNew(c *console, o newKeyOptions) error {
	if !keyName.MatchString(o.name) {
		return usage("%q cannot be the name of a key: letters, digits, '-' and '_' only", o.name)
	}
	path, err := keys.Path(o.name)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return refused("name another: assent keys new NAME", "%s: %w", path, keys.ErrExists)
	}
	if o.dryRun {
		if c.json {
			return c.emit(newKeyJSON{Path: path, Encrypted: o.prompt, DryRun: true})
		}
		c.printf("%s a key would be written to %s\n", c.style.warn("dry run:"), oneLine(path))
		return nil
	}
	var secret []byte
	if o.prompt {
		if secret, err = c.newPassphrase("New passphrase: ", false); err != nil {
			return err
		}
	}
	key, err := keys.Generate(path, "assent reviewer", secret)
	if errors.Is(err, keys.ErrExists) {
		return refused("name another: assent keys new NAME", "%w", err)
	}
	if err != nil {
		return err
	}
	out := newKeyJSON{
		Path: path, Fingerprint: review.FingerprintOf(key), Encrypted: len(secret) > 0,
		Public: strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key))),
	}
	if c.json {
		return c.emit(out)
	}
	c.printf("%s %s\n", c.style.good("made"), oneLine(out.Path))
	c.field("name", string(out.Fingerprint))
	c.field("public", out.Public)
	c.field("next", "in the workspace, propose it as yours: assent roles add --self --key "+names.ForShell(out.Path+".pub"))
	return nil
}

// newPassphrase asks twice; where none is allowed, an empty first answer is one.
func (c *console) newPassphrase(first string, none bool) ([]byte, error) {
	if !c.world.Interactive {
		return nil, usage("--passphrase-prompt needs a terminal to ask on")
	}
	ask := func(what string) ([]byte, error) {
		fmt.Fprint(c.world.Err, what)
		defer fmt.Fprintln(c.world.Err)
		return term.ReadPassword(int(os.Stdin.Fd()))
	}
	once, err := ask(first)
	if err != nil {
		return nil, fmt.Errorf("read the passphrase: %w", err)
	}
	if len(once) == 0 && none {
		return nil, nil
	}
	again, err := ask("The same again: ")
	if err != nil {
		return nil, fmt.Errorf("read the passphrase: %w", err)
	}
	if len(once) == 0 || !bytes.Equal(once, again) {
		return nil, usage("the passphrases differ, or are empty")
	}
	return once, nil
}

func newKeysUnattended(c *console) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "unattended [on|off]",
		Short: "Whether keys without a passphrase sign for you where nobody sits at a terminal",
		Long: `A key without a passphrase can be used by every program that runs as you, and so by
your agents. It signs for a person only in a terminal. Unattended on lifts that for all
workspaces, in your own folder (unattended in config.yaml), for machines where only your
own scripts run. A program that runs as you could do the same: a passphrase, ssh-agent
with confirmation or a security key is what keeps it from signing.`,
		Example:   "  assent keys unattended on",
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"on", "off"},
		RunE: func(_ *cobra.Command, args []string) error {
			if agent := c.world.Getenv("ASSENT_AGENT"); len(args) == 1 && agent != "" {
				return refused("a person sets it in a shell of their own", "this is a session of the agent %s", oneLine(agent))
			}
			on, err := keys.Unattended()
			if err == nil && len(args) == 1 {
				if on = args[0] == "on"; !dryRun {
					err = keys.SetUnattended(on)
				}
			}
			if err != nil {
				return err
			}
			if c.json {
				return c.emit(struct {
					Unattended bool `json:"unattended"`
					DryRun     bool `json:"dry_run,omitempty"`
				}{on, dryRun})
			}
			c.printf("%sunattended: %s\n", map[bool]string{true: c.style.warn("dry run: ")}[dryRun], map[bool]string{true: "on", false: "off"}[on])
			return nil
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say what would be set, but write nothing")
	return cmd
}
