package index

import (
	"cmp"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
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

// encode makes a segment of the workers' batches, in their order.
func encode(h Header, batches []*batch, removed []string) ([]byte, error) {
	w := writer{header: h}
	for _, b := range batches {
		w.entries(b)
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

// entries adds the batch of one worker.
func (w *writer) entries(b *batch) {
	begin := uint32(len(w.parts[records]))
	before := uint32(0)
	for _, end := range b.ends {
		w.parts[offsets] = binary.LittleEndian.AppendUint32(w.parts[offsets], begin+before)
		before = end
	}
	for _, k := range b.keys {
		w.keys = append(w.keys, key{k.hash, w.header.Entries + k.value})
	}
	w.parts[records] = append(w.parts[records], b.records...)
	w.parts[traits] = append(w.parts[traits], b.traits...)
	w.header.Entries += uint32(len(b.ends))
	b.records, b.traits, b.keys = nil, nil, nil
}

// postings turns documents with words into words with documents.
func (w *writer) postings(batches []*batch) {
	all, local := vocabulary(batches)
	starts := make([]uint32, len(all)+1)
	for i, b := range batches {
		b.terms.each(func(word uint32, _ uint8) { starts[local[i][word]+1]++ })
	}
	for i := range all {
		starts[i+1] += starts[i]
	}
	ids, weights := make([]uint32, starts[len(all)]), make([]uint8, starts[len(all)])
	next, id := slices.Clone(starts), uint32(0)
	for i, b := range batches {
		from := 0
		for _, to := range b.until {
			b.terms[from:to].each(func(word uint32, weight uint8) {
				n := &next[local[i][word]]
				ids[*n], weights[*n] = id, weight
				*n++
			})
			from = to
			id++
		}
		b.terms = nil
	}
	var l list
	near := grams{}
	for n, word := range all {
		l = list{bytes: l.bytes[:0]}
		for i := starts[n]; i < starts[n+1]; i++ {
			l.add(ids[i], weights[i])
		}
		near.add(word, w.posting(spaceTerm, word, l))
	}
	for _, gram := range slices.Sorted(maps.Keys(near)) {
		w.posting(spaceGram, gram, *near[gram])
	}
}

// posting writes the list of a word and the key to it, and returns its place.
func (w *writer) posting(space byte, word string, l list) uint32 {
	out := w.parts[postings]
	at := uint32(len(out))
	w.keys = append(w.keys, key{keyOf(space, word), at})
	out = appendText(out, word)
	out = binary.AppendUvarint(out, uint64(l.count))
	out = binary.AppendUvarint(out, uint64(len(l.bytes)))
	w.parts[postings] = append(out, l.bytes...)
	return at
}

// list is a posting while it is made: numbers in order, each with a weight.
type list struct {
	bytes []byte
	count int
	last  uint32
}

func (l *list) add(n uint32, weight byte) {
	l.bytes = append(binary.AppendUvarint(l.bytes, uint64(n-l.last)), weight)
	l.count++
	l.last = n
}

// vocabulary returns all words in order, and for each batch the places of its own words among
// them, so that the bytes do not depend on the split between workers.
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
