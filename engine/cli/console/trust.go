package console

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/agents/skillsync"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/home"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/workspace"
)

// Unprotected reports whether a workspace lets tools run without isolation.
func Unprotected(cur workspace.Session) bool { return cur.Policies.Security.Sandbox == "none" }

// needed is what a user has to accept of a workspace.
func needed(cur workspace.Session) keys.Acceptance {
	if Unprotected(cur) {
		return keys.Unisolated
	}
	return keys.Isolated
}

// addresses are those to which the policies of a workspace have text sent.
func addresses(cur workspace.Session) []string {
	all := []string{cur.Policies.Security.Embeddings.URL, cur.Policies.Retention.Trials.OTLP}
	return slices.DeleteFunc(all, func(a string) bool { return a == "" })
}

// accepted returns what the user accepted of a workspace. One for which earlier versions of connect and sync kept
// a folder of skills counts.
func accepted(cur workspace.Session) (keys.Acceptance, error) {
	known, err := keys.Trusted(cur.ID())
	if known != keys.Unknown || err != nil {
		return known, err
	}
	dir, err := keys.Home()
	if err != nil {
		return known, err
	}
	targets, err := skillsync.Targets(home.At(dir))
	if err != nil || !slices.ContainsFunc(targets, func(t skillsync.Target) bool { return t.Workspace == cur.ID() }) {
		return known, err
	}
	return needed(cur), keys.Trust(cur.ID(), needed(cur))
}

// Accepted reports whether the user accepted that a workspace serves clients. An address that its policies name later
// gets nothing until Trusted, and stops no client.
func Accepted(cur workspace.Session) (bool, error) {
	known, err := accepted(cur)
	return err == nil && known >= needed(cur), err
}

// Trusted reports whether the user accepted all that a workspace needs, with the addresses to which it sends text.
func Trusted(cur workspace.Session) (bool, error) {
	if known, err := Accepted(cur); err != nil || !known {
		return false, err
	}
	for _, address := range addresses(cur) {
		var no *keys.Untrusted
		if err := keys.Admits(cur.ID(), address); errors.As(err, &no) {
			return false, nil
		} else if err != nil {
			return false, err
		}
	}
	return true, nil
}

// Served passes on a session that serves an agent's client, if the user accepted its workspace.
func Served(cur workspace.Session, err error) (workspace.Session, error) {
	if err != nil {
		return cur, err
	}
	known, err := accepted(cur) // without isolation it may be refused, and then its code is isolated
	//defence:clients-are-served-by-accepted-workspaces
	if err == nil && known == keys.Unknown {
		err = &keys.Untrusted{Workspace: cur.ID(), Act: "serves no client"}
	}
	return cur, err
}

// PrintTrust shows what accepting a workspace means.
func PrintTrust(c *Console, cur workspace.Session) {
	c.Field("workspace", OneLine(cur.Repo.Top()))
	c.Field("id", cur.ID())
	for _, line := range TrustLines(cur) {
		c.Field(line[0], line[1])
	}
}

// TrustLines say whose signatures decide in a workspace, and what its code may do here.
func TrustLines(cur workspace.Session) [][2]string {
	var people []string
	for _, id := range cur.Policies.Roles.All() {
		if cur.Policies.Roles.Satisfies(id, policy.Human) {
			name := id.Name
			for _, key := range id.Keys {
				name += " " + string(key)
			}
			for _, service := range slices.Sorted(maps.Keys(id.Logins)) {
				name += " " + service + "/" + id.Logins[service]
			}
			people = append(people, name)
		}
	}
	out := [][2]string{{"humans", strings.Join(people, ", ")}}
	if len(people) == 0 {
		out[0][1] = "no one: nothing decides but the workspace's own files"
	}
	autonomy := string(cur.Policies.Autonomy.Default)
	if cur.Policies.Autonomy.Default == policy.Autonomous {
		autonomy += ": agents change it without a human"
	}
	out = append(out, [2]string{"autonomy", autonomy})
	isolation := cur.Policies.Security.Sandbox
	if Unprotected(cur) {
		isolation += ": its tools run as you, with all your files and the network"
	}
	out = append(out, [2]string{"isolation", isolation})
	if hosts := cur.Policies.Security.Hosts; len(hosts) > 0 {
		out = append(out, [2]string{"hosts", strings.Join(hosts, ", ")})
	}
	if url := cur.Policies.Security.Embeddings.URL; url != "" {
		out = append(out, [2]string{"embeddings", url + " gets the words of searches and missions"})
	}
	if url := cur.Policies.Retention.Trials.OTLP; url != "" {
		out = append(out, [2]string{"otlp", url + " gets your trials when you export them"})
	}
	if code, err := cur.Capabilities.Entries(func(e index.Entry) bool { return e.Executable }); err == nil {
		out = append(out, [2]string{"code", Plural(len(code), "program") + "; those that ask for a secret get the one that you set up"})
	}
	for i := range out {
		out[i][1] = OneLine(out[i][1])
	}
	return out
}

// NeedTrust has a person accept a workspace unless enough says that this user did: by --trust with its id, or on the
// terminal. dryRun shows it, and accepts nothing.
func NeedTrust(c *Console, cur workspace.Session, enough func(workspace.Session) (bool, error), given, command string, dryRun bool) error {
	id := cur.ID()
	if given != "" && given != id {
		return &Failure{Code: ExitUsage, Err: fmt.Errorf("%s is not the id of this workspace, which is %s", OneLine(given), id), Hint: "compare it with the id that its people tell you"}
	}
	known, err := enough(cur)
	if err != nil || known {
		return err
	}
	if dryRun {
		c.Complain("%s", c.Style.Warn("you have not accepted the workspace "+id+": "+trustSentence(cur)+"; assent trust accepts it"))
		return nil
	}
	if given == id {
		return keys.Trust(id, needed(cur), addresses(cur)...)
	}
	if !c.World.Interactive || c.JSON {
		return Refused("read its policies, ask its people for the id, then: "+command+" "+names.ShellWord(id),
			"you have not accepted the workspace in %s: id %s; %s", OneLine(cur.Repo.Top()), id, trustSentence(cur))
	}
	PrintTrust(c, cur)
	answer, err := Ask(c, "You have not accepted this workspace. Type yes to accept it: ")
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if answer != "yes" {
		return Refused("to accept it later: assent trust", "you did not accept the workspace %s; nothing was written", id)
	}
	return keys.Trust(id, needed(cur), addresses(cur)...)
}

func trustSentence(cur workspace.Session) string {
	var out []string
	for _, line := range TrustLines(cur) {
		out = append(out, line[0]+" "+line[1])
	}
	return strings.Join(out, "; ")
}

// Ask reads one line from the terminal, byte by byte, because what follows belongs to the next question. The
// end of the input is io.EOF.
func Ask(c *Console, question string) (string, error) {
	c.Printf("%s", question)
	var line strings.Builder
	var b [1]byte
	for line.Len() < 1<<16 {
		n, err := c.World.In.Read(b[:])
		if n > 0 && b[0] == '\n' {
			break
		}
		line.Write(b[:n])
		if errors.Is(err, io.EOF) {
			c.Printf("\n")
			return "", err
		}
		if err != nil {
			return "", fmt.Errorf("read the answer: %w", err)
		}
	}
	return strings.TrimSpace(line.String()), nil
}
