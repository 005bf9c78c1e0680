package keys

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/home"
)

// Workspaces accepted by this user are recorded outside of all repositories: a file of a project can name a
// workspace, and must not decide whose rules this user's programs follow.

func trustFile(workspace string) (home.Store, string, error) {
	if !workspaceID().MatchString(workspace) {
		return home.Store{}, "", fmt.Errorf("%q is no workspace id", workspace)
	}
	own, err := store()
	return own, "trusted/" + workspace, err
}

// Acceptance is what this user accepts of a workspace.
type Acceptance int

// The acceptances: nothing, its rules, and also that its code runs without isolation.
const (
	Unknown Acceptance = iota
	Isolated
	Unisolated
)

// unisolated is the second line of the file that records it.
const unisolated = "without isolation"

// maxTrust bounds that file, in bytes.
const maxTrust = 1 << 10

// The addresses to which an accepted workspace may send text are lines of another file, of at most maxAddresses bytes.
const (
	addressesSuffix = ".addresses"
	maxAddresses    = 1 << 20
)

// Trust records that this user accepts a workspace, by its id, and the addresses to which it sends text. It takes nothing back.
func Trust(workspace string, what Acceptance, addresses ...string) error {
	before, err := Trusted(workspace)
	if err != nil {
		return err
	}
	own, file, err := trustFile(workspace)
	for _, address := range addresses {
		var no *Untrusted
		if wrong := Admits(workspace, address); err == nil && errors.As(wrong, &no) {
			err = own.Append(file+addressesSuffix, []byte(address+"\n"))
		} else if err == nil {
			err = wrong
		}
	}
	if err != nil {
		return fmt.Errorf("record which addresses are accepted: %w", err)
	}
	if before >= what {
		return nil
	}
	text := workspace + "\n"
	if what == Unisolated {
		text += unisolated + "\n"
	}
	if err := own.Write(file, []byte(text)); err != nil {
		return fmt.Errorf("record that the workspace is accepted: %w", err)
	}
	return nil
}

// Trusted returns what this user accepted of a workspace.
func Trusted(workspace string) (Acceptance, error) {
	own, file, err := trustFile(workspace)
	var data []byte
	if err == nil {
		data, err = own.Read(file, maxTrust)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Unknown, nil
	case err != nil:
		return Unknown, fmt.Errorf("read which workspaces are accepted: %w", err)
	case string(data) == workspace+"\n"+unisolated+"\n":
		return Unisolated, nil
	}
	return Isolated, nil
}

// Admits returns an error, such as *Untrusted, unless this user accepted that a workspace sends text to an address.
// Code without isolation reaches every address, so who accepts that accepts all of them. "" is a program of the user.
func Admits(workspace, address string) error {
	known, err := Trusted(workspace)
	if err != nil || known == Unisolated || known == Isolated && address == "" {
		return err
	}
	own, file, err := trustFile(workspace)
	var data []byte
	if err == nil && known != Unknown {
		data, err = own.Read(file+addressesSuffix, maxAddresses)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read which addresses are accepted: %w", err)
	}
	accepted := address != "" && slices.Contains(strings.Split(string(data), "\n"), address)
	//defence:texts-go-to-accepted-addresses
	if !accepted {
		return &Untrusted{workspace, "sends no text to " + cmp.Or(address, "your model")}
	}
	return nil
}

// Untrusted is returned for what only an accepted workspace may do.
type Untrusted struct {
	// Workspace is its id, Act what it would have done.
	Workspace, Act string
}

func (u *Untrusted) Error() string {
	return fmt.Sprintf("the workspace %s %s, because you have not accepted it", u.Workspace, u.Act)
}

// SecretOf is Secret for a workspace: one that this user has not accepted gets no secret from the user's
// folder, only those of its environment.
func SecretOf(workspace, name string, getenv func(string) string) (value string, ok bool, err error) {
	if value, ok, err = Secret(name, getenv); err != nil || !ok || getenv(SecretVariable(name)) != "" {
		return value, ok, err
	}
	known, err := Trusted(workspace)
	//defence:secrets-go-to-accepted-workspaces
	if err == nil && known == Unknown {
		err = &Untrusted{workspace, "gets no secret from your folder"}
	}
	if err != nil {
		return "", false, err
	}
	return value, ok, nil
}
