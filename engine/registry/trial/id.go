package trial

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

// Writer names one installation: the digest of the public key that signs its journal, in
// 40 lower-case hexadecimal digits.
type Writer string

// writerBytes is the length of a writer's digest.
const writerBytes = 20

// WriterOf names the installation with this public key, in SSH wire format.
func WriterOf(publicKey []byte) Writer {
	sum := sha256.Sum256(publicKey)
	return Writer(hex.EncodeToString(sum[:writerBytes]))
}

// Valid reports whether w has the form of a writer's name.
func (w Writer) Valid() bool {
	raw, err := hex.DecodeString(string(w))
	return err == nil && len(raw) == writerBytes && strings.ToLower(string(w)) == string(w)
}

// mark is the part of a writer's name that is in its ids.
func (w Writer) mark() (out [markBytes]byte) {
	_, _ = hex.Decode(out[:], []byte(w)[:min(len(w), 2*markBytes)])
	return out
}

// ID is a ULID: 48 bits of milliseconds, 40 bits of the writer's name, and a number of 40
// bits that tells ids of one millisecond apart. The ids of one writer grow, so that no two
// writers share an id, and a batch holds all ids from its first to its last.
type ID [16]byte

const (
	timeBytes = 6
	markBytes = 5
	// crockford is the alphabet of ULIDs.
	crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	idLength  = 26
)

// Next is the id that follows last in the journal of a writer. A clock that went back
// changes nothing: the id keeps the time of last, and counts on.
func Next(last ID, at time.Time, w Writer) ID {
	var id ID
	ms := uint64(max(at.UnixMilli(), 0))
	if before := last.ms(); before >= ms {
		id = last
		mark := w.mark()
		copy(id[timeBytes:], mark[:])
		n := last.number() + 1
		if n >= 1<<40 {
			n = 0
			id.setTime(before + 1)
		}
		id.setNumber(n)
		return id
	}
	id.setTime(ms)
	mark := w.mark()
	copy(id[timeBytes:], mark[:])
	return id
}

func (id *ID) setTime(ms uint64) {
	var raw [8]byte
	binary.BigEndian.PutUint64(raw[:], ms)
	copy(id[:timeBytes], raw[2:])
}

func (id *ID) setNumber(n uint64) {
	var raw [8]byte
	binary.BigEndian.PutUint64(raw[:], n)
	copy(id[timeBytes+markBytes:], raw[3:])
}

func (id ID) ms() uint64 {
	var raw [8]byte
	copy(raw[2:], id[:timeBytes])
	return binary.BigEndian.Uint64(raw[:])
}

func (id ID) number() uint64 {
	var raw [8]byte
	copy(raw[3:], id[timeBytes+markBytes:])
	return binary.BigEndian.Uint64(raw[:])
}

// Time is when the trial was recorded, by the writer's clock.
func (id ID) Time() time.Time { return time.UnixMilli(int64(id.ms())).UTC() }

// By reports whether a writer of this name can have given the id.
func (id ID) By(w Writer) bool { return [markBytes]byte(id[timeBytes:timeBytes+markBytes]) == w.mark() }

// Compare orders ids by time, and those of one writer as they were given.
func (id ID) Compare(other ID) int { return strings.Compare(string(id[:]), string(other[:])) }

// IsZero reports whether this is no id.
func (id ID) IsZero() bool { return id == ID{} }

// String writes the 26 characters of a ULID.
func (id ID) String() string {
	var out [idLength]byte
	// 130 bits of base 32 hold 128: the first character has two leading zeros.
	high, low := binary.BigEndian.Uint64(id[:8]), binary.BigEndian.Uint64(id[8:])
	for i := idLength - 1; i >= 0; i-- {
		out[i] = crockford[low&31]
		low = low>>5 | high<<59
		high >>= 5
	}
	return string(out[:])
}

// ParseID decodes the output of String and rejects anything else.
func ParseID(s string) (ID, error) {
	var id ID
	if len(s) != idLength || s[0] > '7' {
		return id, fmt.Errorf("%.40q is no id of a trial: want a ULID of %d characters", s, idLength)
	}
	var high, low uint64
	for i := range idLength {
		n := strings.IndexByte(crockford, s[i])
		if n < 0 {
			return ID{}, fmt.Errorf("%.40q is no id of a trial: want a ULID of %d characters", s, idLength)
		}
		high = high<<5 | low>>59
		low = low<<5 | uint64(n)
	}
	binary.BigEndian.PutUint64(id[:8], high)
	binary.BigEndian.PutUint64(id[8:], low)
	return id, nil
}

// MarshalText implements encoding.TextMarshaler.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (id *ID) UnmarshalText(text []byte) (err error) {
	*id, err = ParseID(string(text))
	return err
}

// WriterOfFingerprint is WriterOf for a key that is known by its fingerprint, as
// `ssh-keygen -l` writes it: "SHA256:…". It is "" for any other text.
func WriterOfFingerprint(fingerprint string) Writer {
	text, ok := strings.CutPrefix(fingerprint, "SHA256:")
	sum, err := base64.RawStdEncoding.DecodeString(text)
	if !ok || err != nil || len(sum) != sha256.Size {
		return ""
	}
	return Writer(hex.EncodeToString(sum[:writerBytes]))
}
