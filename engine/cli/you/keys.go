package you

import (
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

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

func newKeys(c *console.Console) *cobra.Command {
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

// keysJSON lists the keys.
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
	// Runner is set for the key that signs results of required checks here.
	Runner bool `json:"runner"`
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
	// Revoked are keys whose signatures no longer prove anything.
	Revoked []policy.Revocation `json:"revoked"`
}

func runKeys(ctx context.Context, c *console.Console) error {
	cur, err := c.Current(ctx)
	outside := errors.Is(err, gitstore.ErrNotRepository) || errors.Is(err, attest.ErrNoMain) || errors.Is(err, attest.ErrNoGenesis)
	if err != nil && !outside {
		return err
	}
	out := keysJSON{Identities: []identityJSON{}}
	if out.Mine, err = myKeys(cur.Workspace, cur.Policies.Roles); err != nil {
		return err
	}
	runner := console.RunnerKey(c, cur)
	for i, k := range out.Mine {
		out.Mine[i].Runner = runner != "" && k.Path == runner
	}
	for _, id := range cur.Policies.Roles.All() {
		out.Identities = append(out.Identities, identityOf(cur.Policies.Roles, id, out.Mine))
	}
	if c.JSON {
		return c.Emit(out)
	}
	printKeys(c, out)
	return nil
}

func identityOf(roles policy.Roles, id policy.Identity, mine []myKeyJSON) identityJSON {
	out := identityJSON{Name: id.Name, Kind: id.Kind, Keys: id.Keys, Emails: console.NonNil(id.Emails), Roles: console.NonNil(roles.RolesOf(id)), Owner: id.Owner, Revoked: append([]policy.Revocation{}, id.Revoked...)}
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
	standard, err := console.DefaultKey(w)
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

func printKeys(c *console.Console, out keysJSON) {
	if len(out.Mine) == 0 {
		c.Printf("you have no key for reviews; make one: assent keys new\n")
	}
	for _, k := range out.Mine {
		whose := c.Style.Warn("no one in roles.yaml")
		if k.Identity != "" {
			whose = c.Style.Good(console.OneLine(k.Identity))
		}
		if k.Revoked != "" {
			whose += "; it was a key of " + console.OneLine(k.Revoked) + " and is revoked"
		}
		c.Printf("%s  %s\n", k.Fingerprint, console.OneLine(k.Path))
		c.Field("yours", "belongs to "+whose)
		if k.Runner {
			c.Field("signs", "results of required checks that run here")
		}
	}
	for _, id := range out.Identities {
		mine := ""
		if id.Mine {
			mine = c.Style.Good("  you")
		}
		c.Printf("%s  %s%s\n", c.Style.Bold(console.OneLine(id.Name)), id.Kind, mine)
		c.Optional("roles", strings.Join(id.Roles, ", "))
		c.Optional("owner", console.OneLine(id.Owner))
		for _, k := range id.Keys {
			c.Field("key", console.OneLine(string(k)))
		}
		for _, r := range id.Revoked {
			c.Field("revoked", console.OneLine(string(r.Key))+" from "+r.From.UTC().Format(time.RFC3339)+": "+console.OneLine(r.Reason))
		}
	}
}

type newKeyOptions struct {
	dryRun bool
	name   string
	prompt bool
}

func newKeysNew(c *console.Console) *cobra.Command {
	o := newKeyOptions{name: keys.DefaultName}
	cmd := &cobra.Command{
		Use:   "new [NAME]",
		Short: "Make an SSH key for reviews, outside of every workspace",
		Long: `New makes an Ed25519 key in your own folder and prints the line to put into
policies/roles.yaml (by a proposal). In a terminal it asks for a passphrase; Enter is none. A key without a passphrase can be used by every
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
	cmd.Flags().BoolVar(&o.prompt, "passphrase-prompt", false, "insist on a passphrase, asked for on the terminal")
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

// keyName matches names of key files that every system allows.
var keyName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

func runKeysNew(c *console.Console, o newKeyOptions) error {
	if !keyName.MatchString(o.name) {
		return console.Usage("%q cannot be the name of a key: letters, digits, '-' and '_' only", o.name)
	}
	path, err := keys.Path(o.name)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return console.Refused("name another: assent keys new NAME", "%s: %w", path, keys.ErrExists)
	}
	if o.dryRun {
		if c.JSON {
			return c.Emit(newKeyJSON{Path: path, Encrypted: o.prompt, DryRun: true})
		}
		c.Printf("%s a key would be written to %s\n", c.Style.Warn("dry run:"), console.OneLine(path))
		return nil
	}
	var secret []byte
	switch {
	case o.prompt:
		secret, err = console.NewPassphrase(c, "New passphrase: ", false)
	case c.World.Interactive && !c.JSON:
		secret, err = console.NewPassphrase(c, "Passphrase for your new key (Enter for none): ", true)
	}
	if err != nil {
		return err
	}
	key, err := keys.Generate(path, "assent reviewer", secret)
	if errors.Is(err, keys.ErrExists) {
		return console.Refused("name another: assent keys new NAME", "%w", err)
	}
	if err != nil {
		return err
	}
	out := newKeyJSON{
		Path: path, Fingerprint: review.FingerprintOf(key), Encrypted: len(secret) > 0,
		Public: strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key))),
	}
	if c.JSON {
		return c.Emit(out)
	}
	c.Printf("%s %s\n", c.Style.Good("made"), console.OneLine(out.Path))
	c.Field("name", string(out.Fingerprint))
	c.Field("public", out.Public)
	if why := console.Bare(c); !out.Encrypted && why != "" {
		c.Field("", why)
	}
	public := names.ForShell(out.Path + ".pub")
	c.Field("next", "in the workspace, propose it as yours: assent roles add --self --key "+public)
	c.Field("", "or as a runner's, which signs results of checks without a terminal: assent roles add NAME --as agent --key "+public+" --role runner")
	return nil
}

func newKeysUnattended(c *console.Console) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "unattended [on|off]",
		Short: "Whether keys without a passphrase sign for you without a terminal",
		Long: `A key without a passphrase can be used by every program that runs as you, and so by
your agents. It signs for a person only in a terminal. Unattended on lifts that for all
workspaces, in your own folder (unattended in config.yaml), for machines where only your
own scripts run. A program that runs as you could do the same: a passphrase, ssh-agent
with confirmation or a security key is what keeps it from signing.`,
		Example:   "  assent keys unattended on",
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"on", "off"},
		RunE: func(_ *cobra.Command, args []string) error {
			if agent := c.World.Getenv("ASSENT_AGENT"); len(args) == 1 && agent != "" {
				return console.Refused("a person sets it in a shell of their own", "this is a session of the agent %s", console.OneLine(agent))
			}
			if len(args) == 1 && args[0] == "on" && !c.World.Interactive && !dryRun {
				return console.Refused("without a terminal, whoever sets the machine up writes unattended: true into config.yaml of the user's own folder: docs/keys.md",
					"a person decides that in a terminal")
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
			if c.JSON {
				return c.Emit(struct {
					Unattended bool `json:"unattended"`
					DryRun     bool `json:"dry_run,omitempty"`
				}{on, dryRun})
			}
			c.Printf("%sunattended: %s\n", map[bool]string{true: c.Style.Warn("dry run: ")}[dryRun], map[bool]string{true: "on", false: "off"}[on])
			return nil
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say what would be set, but write nothing")
	return cmd
}
