package keys

import (
	"errors"
	"fmt"
	"io/fs"

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

// Trust records that this user accepts a workspace, by its id. It takes nothing back.
func Trust(workspace string, what Acceptance) error {
	before, err := Trusted(workspace)
	if err != nil || before >= what {
		return err
	}
	text := workspace + "\n"
	if what == Unisolated {
		text += unisolated + "\n"
	}
	own, file, err := trustFile(workspace)
	if err == nil {
		err = own.Write(file, []byte(text))
	}
	if err != nil {
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

// Untrusted is returned for what only an accepted workspace may do.
type Untrusted struct {
	// Workspace is its id, Act what it would have done.
	Workspace, Act string
}

func (u *Untrusted) Error() string {
	return fmt.Sprintf("you have not accepted the workspace %s, so it %s", u.Workspace, u.Act)
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
