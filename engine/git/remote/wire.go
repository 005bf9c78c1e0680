package remote

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/pktline"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/git/gitrun"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// Bounds of the remote's data.
const (
	maxAdvertised = 64 << 20 // bytes: about a million refs
	maxReport     = 16 << 20
	maxWords      = 16 << 10 // of text for people; the rest is dropped
)

// errProtocol is returned if the remote does not speak Git's protocol.
var errProtocol = errors.New("the other side does not speak Git's protocol")

// advertisement is the initial message of receive-pack.
type advertisement struct {
	refs map[string]tree.Hash
	// have lists further objects that the remote has without a ref.
	have         []tree.Hash
	capabilities map[string]bool
}

// readAdvertisement reads refs and capabilities up to the flush packet.
func readAdvertisement(r io.Reader) (advertisement, error) {
	ad := advertisement{refs: map[string]tree.Hash{}, capabilities: map[string]bool{}}
	lines := pktline.NewScanner(&bounded{r, maxAdvertised})
	for first := true; lines.Scan(); first = false {
		line := lines.Bytes()
		if len(line) == 0 {
			return ad, ad.usable()
		}
		if first {
			text, capabilities, _ := bytes.Cut(line, []byte{0})
			for _, c := range strings.Fields(string(capabilities)) {
				ad.capabilities[c] = true
			}
			line = text
		}
		if err := ad.line(strings.TrimSuffix(string(line), "\n")); err != nil {
			return ad, err
		}
	}
	return ad, endError(lines.Err())
}

func (ad *advertisement) line(text string) error {
	object, name, _ := strings.Cut(text, " ")
	switch {
	case strings.HasPrefix(text, "version "):
		return nil
	case object == "shallow":
		return nil // it has shallow history, and checks what it receives
	}
	h, err := tree.ParseHash(object)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %.60q is not an advertised ref", errProtocol, text)
	case name == ".have":
		ad.have = append(ad.have, h)
	case name == "capabilities^{}":
	case gitstore.CheckRefName(name) == nil:
		ad.refs[name] = h
	}
	return nil // ignore names that are invalid here
}

func (ad *advertisement) usable() error {
	for c := range ad.capabilities {
		if format, ok := strings.CutPrefix(c, "object-format="); ok && format != "sha1" {
			return fmt.Errorf("it names its objects with %.20q, and this repository with sha1: %w", format, gitstore.ErrUnsupported)
		}
	}
	if !ad.capabilities["report-status"] {
		return fmt.Errorf("%w: it does not report the result of a push", errProtocol)
	}
	return nil
}

// bounded is a reader that fails beyond left bytes.
type bounded struct {
	from io.Reader
	left int64
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("%w: it sends more than it may", errProtocol)
	}
	n, err := b.from.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// endError returns the reason for an early end of the data.
func endError(err error) error {
	var line *pktline.ErrorLine
	switch {
	case errors.As(err, &line):
		return fmt.Errorf("the remote reported: %.500q", line.Text)
	case errors.Is(err, pktline.ErrInvalidPktLen):
		return fmt.Errorf("%w: %w", errProtocol, err)
	case err == nil:
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("the connection ended too early: %w", err)
}

// request encodes the moves and the objects that they need.
func (ad advertisement) request(moves []Move, pack []byte) []byte {
	var out bytes.Buffer
	lines := pktline.NewEncoder(&out)
	for i, m := range moves {
		capabilities := ""
		if i == 0 {
			capabilities = "\x00" + strings.Join(ad.usedCapabilities(), " ")
		}
		// The line length is bounded by the ref name, and writing to a buffer cannot fail.
		_ = lines.Encodef("%s %s %s%s", m.Old, m.New, m.Ref, capabilities)
	}
	_ = lines.Flush()
	out.Write(pack)
	return out.Bytes()
}

// usedCapabilities returns the offered capabilities that we use.
func (ad advertisement) usedCapabilities() []string {
	out := []string{"report-status", "agent=assent/" + version.Engine}
	for _, c := range []string{"side-band-64k", "atomic", "object-format=sha1"} {
		if ad.capabilities[c] {
			out = append(out, c)
		}
	}
	return out
}

// report is the final message of receive-pack.
type report struct {
	unpack string // "ok", or what went wrong
	// refs maps each ref to "" if it moved, else to the reason.
	refs map[string]string
	// words is text for people from the remote and its hooks.
	words string
}

// readReport reads the answer to a push, from a side band if that was negotiated.
func readReport(r io.Reader, sideBand bool) (report, error) {
	if !sideBand {
		return parseReport(&bounded{r, maxReport})
	}
	var status, words bytes.Buffer
	lines := pktline.NewScanner(r)
	for lines.Scan() {
		line := lines.Bytes()
		if len(line) == 0 {
			answer, err := parseReport(&status)
			answer.words = words.String()
			return answer, err
		}
		switch text := line[1:]; line[0] {
		case 1:
			if status.Len()+len(text) > maxReport {
				return report{}, fmt.Errorf("%w: it sends more than it may", errProtocol)
			}
			status.Write(text)
		case 2:
			words.Write(text[:min(len(text), maxWords-words.Len())])
		case 3:
			return report{words: words.String()}, fmt.Errorf("the remote reported: %.500q", text)
		default:
			return report{}, fmt.Errorf("%w: side band %d", errProtocol, line[0])
		}
	}
	return report{words: words.String()}, errors.Join(endError(lines.Err()), gitrun.Problems(words.String()))
}

// parseReport parses the lines "unpack …", "ok REF" and "ng REF REASON".
func parseReport(r io.Reader) (report, error) {
	out := report{refs: map[string]string{}}
	lines := pktline.NewScanner(r)
	for lines.Scan() {
		if len(lines.Bytes()) == 0 {
			if out.unpack == "" {
				return out, fmt.Errorf("%w: a report without a result", errProtocol)
			}
			return out, nil
		}
		line := strings.TrimSuffix(string(lines.Bytes()), "\n")
		what, rest, _ := strings.Cut(line, " ")
		ref, reason, _ := strings.Cut(rest, " ")
		switch {
		case what == "unpack" && out.unpack == "" && rest != "":
			out.unpack = rest
		case what == "ok" && out.unpack != "":
			out.refs[ref] = ""
		case what == "ng" && out.unpack != "":
			if reason == "" {
				reason = "refused without a reason"
			}
			out.refs[ref] = reason
		default:
			return out, fmt.Errorf("%w: %.60q in a report", errProtocol, line)
		}
	}
	return out, endError(lines.Err())
}
