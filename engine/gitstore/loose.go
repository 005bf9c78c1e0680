package gitstore

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zlib"

	"github.com/assent-dev/assent/engine/tree"
)

func loosePath(dir string, h tree.Hash) string {
	name := h.String()
	return filepath.Join(dir, name[:2], name[2:])
}

func readLoose(path string) (object, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return object{}, err
	}
	z, err := inflater(bytes.NewReader(raw))
	if err != nil {
		return object{}, fmt.Errorf("loose object %s: %w: %w", path, ErrCorrupt, err)
	}
	defer inflaters.Put(z)
	k, size, rest, err := readLooseHeader(z)
	if err != nil {
		return object{}, fmt.Errorf("loose object %s: %w", path, err)
	}
	data := make([]byte, size)
	n := copy(data, rest)
	if _, err := io.ReadFull(z, data[n:]); err != nil {
		return object{}, fmt.Errorf("loose object %s: %w: %w", path, ErrCorrupt, err)
	}
	return object{k, data}, nil
}

func looseHeader(path string) (kind, int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	z, err := zlib.NewReader(f)
	if err != nil {
		return 0, 0, fmt.Errorf("loose object %s: %w: %w", path, ErrCorrupt, err)
	}
	k, size, _, err := readLooseHeader(z)
	if err != nil {
		return 0, 0, fmt.Errorf("loose object %s: %w", path, err)
	}
	return k, size, nil
}

// readLooseHeader reads "<type> <size>\0" and returns what it read beyond it.
func readLooseHeader(z io.Reader) (kind, int64, []byte, error) {
	var buf [64]byte
	n, err := io.ReadAtLeast(z, buf[:], 1)
	for err == nil && n < len(buf) && bytes.IndexByte(buf[:n], 0) < 0 {
		var m int
		m, err = z.Read(buf[n:])
		n += m
	}
	end := bytes.IndexByte(buf[:n], 0)
	if end < 0 {
		return 0, 0, nil, fmt.Errorf("header: %w", ErrCorrupt)
	}
	name, digits, _ := strings.Cut(string(buf[:end]), " ")
	k, err := parseKind(name)
	if err != nil {
		return 0, 0, nil, err
	}
	size, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || size < 0 || size < int64(n-end-1) || size > maxObject {
		return 0, 0, nil, fmt.Errorf("size %q: %w", digits, ErrCorrupt)
	}
	return k, size, buf[end+1 : n], nil
}
