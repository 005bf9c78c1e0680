package keys

import (
	"bytes"
	"fmt"
	"net"
	"os"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/assent-dev/assent/engine/format/review"
)

// fromAgent returns the SSH agent's signer for want, or its only key if want is nil. If the
// agent has several keys, the user has to choose.
func fromAgent(want ssh.PublicKey) (*Signer, error) {
	socket := os.Getenv("SSH_AUTH_SOCK")
	if socket == "" {
		return nil, fmt.Errorf("SSH_AUTH_SOCK is not set: %w", ErrAgent)
	}
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return nil, fmt.Errorf("reaching the SSH agent: %w: %w", ErrAgent, err)
	}
	s, err := pick(agent.NewClient(conn), want)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	s.close = conn.Close
	return s, nil
}

func pick(client agent.ExtendedAgent, want ssh.PublicKey) (*Signer, error) {
	listed, err := client.List()
	if err != nil {
		return nil, fmt.Errorf("listing the SSH agent's keys: %w: %w", ErrAgent, err)
	}
	comments := map[string]string{}
	for _, k := range listed {
		comments[string(k.Blob)] = k.Comment
	}
	signers, err := client.Signers()
	if err != nil {
		return nil, fmt.Errorf("listing the SSH agent's keys: %w: %w", ErrAgent, err)
	}
	if want == nil && len(signers) != 1 {
		return nil, fmt.Errorf("the agent holds %d keys; name one by its .pub file: %w", len(signers), ErrAgent)
	}
	for _, s := range signers {
		blob := s.PublicKey().Marshal()
		if want != nil && !bytes.Equal(blob, want.Marshal()) {
			continue
		}
		if err := review.CheckKey(s.PublicKey()); err != nil {
			return nil, fmt.Errorf("the agent's key cannot be used: %w", err)
		}
		return &Signer{Signer: s, Source: AgentSpec + " " + comments[string(blob)]}, nil
	}
	return nil, fmt.Errorf("it does not hold %s: %w", review.FingerprintOf(want), ErrAgent)
}
