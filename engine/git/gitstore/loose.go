package gitstore

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zlib"

	"github.com/assent-dev/assent/engine/base/tree"
)

func loosePath(dir string, h tree.Hash) string {
	name := h.String()
	return filepath.Join(dir, name[:2], name[2:])
}

// readLoose reads a loose object. An object that is too large is refused before it is inflated.
func readLoose(path string, b bounds) (object, error) {
	f, err := os.Open(path)
	if err != nil {
		return object{}, err
	}
	defer f.Close()
	src := sources.Get().(*bufio.Reader)
	defer sources.Put(src)
	src.Reset(f)
	z, err := inflater(src)
	if err != nil {
		return object{}, fmt.Errorf("loose object %s: %w: %w", path, ErrCorrupt, err)
	}
	defer inflaters.Put(z)
	k, size, rest, err := readLooseHeader(z)
	if err != nil {
		return object{}, fmt.Errorf("loose object %s: %w", path, err)
	}
	if err := checkSize(k, size, b); err != nil {
		return object{}, err
	}
	data := make([]byte, size)
	if err := fillToEnd(z, data, copy(data, rest)); err != nil {
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

// readLooseHeader reads "<type> <size>\0" and returns the bytes that it read after it.
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
	if err != nil || size < 0 || size < int64(n-end-1) {
		return 0, 0, nil, fmt.Errorf("size %q: %w", digits, ErrCorrupt)
	}
	return k, size, buf[end+1 : n], nil
}
