package index

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/assent-dev/assent/engine/capability"
	"github.com/assent-dev/assent/engine/names"
)

// ErrTooLarge says that there is more to index than the layout can hold.
var ErrTooLarge = errors.New("the registry is too large for an index")

type key struct{ hash, value uint32 }

// writer collects the sections of one segment.
type writer struct {
	header Header
	parts  [sections][]byte
	keys   []key
}

// encode makes a segment of what the workers read, in their order.
func encode(h Header, batches []*batch, removed []string) ([]byte, error) {
	w := writer{header: h}
	total := 0
	for _, b := range batches {
		total += len(b.documents)
	}
	w.parts[offsets] = make([]byte, 0, 4*(total+1))
	w.parts[traits] = make([]byte, 0, traitSize*total)
	for _, b := range batches {
		for _, d := range b.documents {
			w.document(d)
		}
	}
	w.parts[offsets] = binary.LittleEndian.AppendUint32(w.parts[offsets], uint32(len(w.parts[records])))
	w.postings(batches)
	w.directory()
	for _, path := range removed {
		w.parts[gone] = appendText(w.parts[gone], path)
	}
	w.header.Gone = uint32(len(removed))
	return w.join()
}

func (w *writer) document(d document) {
	id := w.header.Entries
	w.header.Entries++
	length := min(d.length, math.MaxUint16)
	w.header.words += uint64(length)
	w.parts[offsets] = binary.LittleEndian.AppendUint32(w.parts[offsets], uint32(len(w.parts[records])))
	w.parts[records] = appendEntry(w.parts[records], d.entry)
	t := binary.LittleEndian.AppendUint16(w.parts[traits], uint16(length))
	w.parts[traits] = append(t, number(capability.Kinds(), d.entry.Kind), number(capability.Statuses(), d.entry.Status))
	w.key(spaceName, names.Fold(d.entry.Name), id)
	for _, r := range []Relation{Requires, AppliesTo, Implements, Supersedes} {
		for _, target := range d.entry.targets(r) {
			if target != "" {
				w.key(byte(r), names.Fold(target), id)
			}
		}
	}
}

// number is the place of one of a format's words in their list, from 1; 0 for any
// other.
func number[T comparable](list []T, word T) byte { return byte(slices.Index(list, word) + 1) }

func (w *writer) key(space byte, text string, value uint32) {
	w.keys = append(w.keys, key{keyOf(space, text), value})
}

// postings turns documents with words into words with documents.
func (w *writer) postings(batches []*batch) {
	all, local := vocabulary(batches)
	starts := make([]uint32, len(all)+1)
	for i, b := range batches {
		for _, d := range b.documents {
			for _, t := range d.terms {
				starts[local[i][t.word]+1]++
			}
		}
	}
	for i := range all {
		starts[i+1] += starts[i]
	}
	type posting struct{ id, weight uint32 }
	list, next, id := make([]posting, starts[len(all)]), slices.Clone(starts), uint32(0)
	for i, b := range batches {
		for _, d := range b.documents {
			for _, t := range d.terms {
				n := local[i][t.word]
				list[next[n]] = posting{id, t.weight}
				next[n]++
			}
			id++
		}
	}
	out := w.parts[postings]
	for n, word := range all {
		w.key(spaceWord, word, uint32(len(out)))
		out = appendText(out, word)
		mine := list[starts[n]:starts[n+1]]
		var body []byte
		before := uint32(0)
		for _, p := range mine {
			body = binary.AppendUvarint(body, uint64(p.id-before))
			body = append(body, byte(min(p.weight, math.MaxUint8)))
			before = p.id
		}
		out = binary.AppendUvarint(out, uint64(len(mine)))
		out = binary.AppendUvarint(out, uint64(len(body)))
		out = append(out, body...)
	}
	w.parts[postings] = out
}

// vocabulary returns all words in order, and for each batch the places of its own
// words among them, so that the bytes do not depend on who read what.
func vocabulary(batches []*batch) (all []string, local [][]uint32) {
	for _, b := range batches {
		all = append(all, b.words...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	places := make(map[string]uint32, len(all))
	for i, word := range all {
		places[word] = uint32(i)
	}
	local = make([][]uint32, len(batches))
	for i, b := range batches {
		local[i] = make([]uint32, len(b.words))
		for n, word := range b.words {
			local[i][n] = places[word]
		}
	}
	return all, local
}

func (w *writer) directory() {
	slices.SortFunc(w.keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.value, b.value))
	})
	buckets := max(1, len(w.keys)/perBucket)
	next := 0
	for n := range buckets {
		for next < len(w.keys) && bucketOf(w.keys[next].hash, buckets) < n {
			next++
		}
		w.parts[directory] = binary.LittleEndian.AppendUint32(w.parts[directory], uint32(next))
	}
	w.parts[directory] = binary.LittleEndian.AppendUint32(w.parts[directory], uint32(len(w.keys)))
	for _, k := range w.keys {
		w.parts[keys] = binary.LittleEndian.AppendUint32(w.parts[keys], k.hash)
		w.parts[keys] = binary.LittleEndian.AppendUint32(w.parts[keys], k.value)
	}
}

// join lays the sections out behind the header.
func (w *writer) join() ([]byte, error) {
	size := uint64(0)
	for i, p := range w.parts {
		if uint64(len(p)) > maxSection {
			return nil, ErrTooLarge
		}
		w.header.spans[i] = span{size, uint64(len(p))}
		size += uint64(len(p))
	}
	out := make([]byte, headerSize, headerSize+size+4*(size/blockSize+1))
	for i, p := range w.parts {
		out = append(out, p...)
		w.parts[i] = nil
	}
	var sums []byte
	for body := out[headerSize:]; len(body) > 0; {
		n := min(blockSize, len(body))
		sums = binary.LittleEndian.AppendUint32(sums, checksum(body[:n]))
		body = body[n:]
	}
	w.header.sums = checksum(sums)
	copy(out, w.header.encode())
	return append(out, sums...), nil
}
