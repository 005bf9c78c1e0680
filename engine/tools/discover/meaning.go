package discover

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/home"
	"github.com/assent-dev/assent/engine/home/ask"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/registry/trial"
)

const (
	// maxKept bounds the file of vectors, in bytes.
	maxKept = 64 << 20
	// perRequest is how many texts are sent at once.
	perRequest = 64
)

// digest names a text by its SHA-256.
type digest [sha256.Size]byte

// meaning compares words and capabilities by the vectors of a model. After the first problem it asks
// no more.
type meaning struct {
	embed   func(texts []string) ([][]float32, error)
	timeout time.Duration
	store   home.Store
	// entries are what is in force and in use. Vectors of their texts, and of the queries, are in known.
	entries []index.Entry
	known   map[digest][]float32
	read    bool
	problem error
	// listed returns what is in force and in use.
	listed func() ([]index.Entry, error)
}

// vectorsFile is the cache's name in its folder.
const vectorsFile = "vectors"

// WithEmbeddings returns h with the vectors that the policies in force ask for, if any. Searches then send the
// descriptions of capabilities and their own words to the model, if the user accepted its address.
func (h Here) WithEmbeddings(ctx context.Context) Here {
	from := h.Session.Policies.Security.Embeddings
	if from.Model == "" {
		return h
	}
	e := ask.Embedder{URL: from.URL, Model: from.Model, Key: os.Getenv(ask.KeyName(from.URL)), Command: os.Getenv("ASSENT_EMBEDDINGS_COMMAND")}
	m := &meaning{timeout: from.Timeout, known: map[digest][]float32{}}
	m.embed = func(texts []string) ([][]float32, error) {
		ctx, stop := context.WithTimeout(ctx, from.Timeout)
		defer stop()
		return e.Embed(ctx, texts)
	}
	m.listed = func() ([]index.Entry, error) {
		return h.Session.Capabilities.Entries(func(e index.Entry) bool { return e.Status.Runs() })
	}
	dir, err := keys.Home()
	m.problem = err
	if err := keys.Admits(h.Session.ID(), from.URL); err != nil {
		m.problem = fmt.Errorf("%w: assent trust %s", err, names.ShellWord(h.Session.ID()))
	}
	of := sha256.Sum256([]byte(h.Session.ID() + "\n" + from.URL + "\n" + from.Model))
	m.store = home.At(filepath.Join(dir, "embeddings", hex.EncodeToString(of[:16])))
	h.meaning = m
	return h
}

// Prefetch asks for the vectors of several searches in one request.
func (h Here) Prefetch(words ...string) {
	if m := h.meaning; m != nil && m.ready() {
		var texts []string
		for _, w := range words {
			texts = append(texts, trial.Sanitise(w))
		}
		m.fetch(texts)
	}
}

// alike compares a query with what is in force; nil without vectors.
func (m *meaning) alike(q index.Query) (out []index.Alike) {
	words := trial.Sanitise(q.Words)
	if m == nil || words == "" || !m.ready() || !m.fetch([]string{words}) {
		return nil
	}
	asked := m.known[sha256.Sum256([]byte(words))]
	for _, e := range m.entries {
		v := m.known[sha256.Sum256([]byte(text(e)))]
		if v == nil || !q.Admits(e) {
			continue
		}
		sum := 0.0
		for i := range v {
			sum += float64(v[i]) * float64(asked[i])
		}
		if math.Abs(sum) <= 1.01 { // else the cache is damaged
			out = append(out, index.Alike{Entry: e, Cosine: sum})
		}
	}
	return out
}

// text is what is sent about a capability: what an agent sees in a list.
func text(e index.Entry) string { return e.Name + "\n" + e.Description }

// ready reads the vectors of what is in force, and asks for missing ones within the timeout.
func (m *meaning) ready() bool {
	if m.read || m.problem != nil {
		return m.problem == nil
	}
	m.read = true
	if m.entries, m.problem = m.listed(); m.problem != nil {
		return false
	}
	m.load()
	var missing []string
	for _, e := range m.entries {
		if t := text(e); m.known[sha256.Sum256([]byte(t))] == nil {
			missing = append(missing, t)
		}
	}
	all, until := len(missing), time.Now().Add(m.timeout)
	for len(missing) > 0 && time.Now().Before(until) && m.fetch(missing[:min(len(missing), perRequest)]) {
		missing = missing[min(len(missing), perRequest):]
	}
	if len(missing) < all {
		m.save()
	}
	return m.problem == nil
}

// fetch asks for the vectors of texts that have none.
func (m *meaning) fetch(texts []string) bool {
	var missing []string
	for _, t := range texts {
		if m.known[sha256.Sum256([]byte(t))] == nil {
			missing = append(missing, t)
		}
	}
	if len(missing) == 0 {
		return true
	}
	got, err := m.embed(missing)
	if err == nil {
		for _, v := range m.known {
			if len(v) != len(got[0]) {
				err = errors.Join(fmt.Errorf("vectors of %d numbers, those before had %d: all are asked for again", len(got[0]), len(v)), m.store.Remove(vectorsFile))
			}
			break
		}
	}
	if err != nil {
		m.problem = err
		return false
	}
	for i, t := range missing {
		m.known[sha256.Sum256([]byte(t))] = got[i]
	}
	return true
}

// load reads the cache: the number of dimensions, then digests with vectors. A damaged file is empty.
func (m *meaning) load() {
	data, err := m.store.Read(vectorsFile, maxKept)
	if err != nil || len(data) < 4 {
		return
	}
	n, data := int(binary.LittleEndian.Uint32(data)), data[4:]
	if n < 1 || n > maxKept || len(data)%(sha256.Size+4*n) != 0 {
		return
	}
	for ; len(data) > 0; data = data[sha256.Size+4*n:] {
		v := make([]float32, n)
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[sha256.Size+4*i:]))
		}
		m.known[digest(data)] = v
	}
}

// save writes the vectors of what is in force.
func (m *meaning) save() {
	var data []byte
	for _, e := range m.entries {
		key := sha256.Sum256([]byte(text(e)))
		v := m.known[key]
		if v == nil || len(data)+sha256.Size+4*len(v) > maxKept {
			continue
		}
		if data == nil {
			data = binary.LittleEndian.AppendUint32(nil, uint32(len(v)))
		}
		data = append(data, key[:]...)
		for _, x := range v {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
		}
	}
	m.problem = cmp.Or(m.problem, m.store.Cache(vectorsFile, data))
}
