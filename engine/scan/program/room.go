package program

import (
	"slices"
	"sync"
)

// room holds slices that grow while a text is read. Growing new slices for each text
// took longer than reading most texts.
type room struct {
	tokens []token
	acts   []Act
}

//nolint:gochecknoglobals // room that is reused; nothing is remembered in it.
var rooms = sync.Pool{New: func() any { return &room{} }}

func enter() *room { return rooms.Get().(*room) }

// leave clears the room and gives it back.
func (o *room) leave() {
	clear(o.tokens)
	clear(o.acts)
	rooms.Put(o)
}

// mostRoom bounds, in elements, the slices that are kept for the next text.
const mostRoom = 4096

// scriptText reads text, a Python or JavaScript program.
func (r *reader) scriptText(text string, lang Language) {
	o := enter()
	if lang == Python {
		o.tokens = lexPython(o.tokens[:0], text)
	} else {
		o.tokens = lexJavaScript(o.tokens[:0], text)
	}
	r.script(o.tokens, lang)
	if cap(o.tokens) <= mostRoom {
		o.leave()
	}
}

// reading calls read and returns the resulting Reading.
func (r *reader) reading(read func()) Reading {
	o := enter()
	r.out.Acts = o.acts[:0]
	read()
	o.acts = r.out.Acts
	r.out.Acts, r.out.Written = slices.Clone(o.acts), r.files
	if len(o.acts) == 0 {
		r.out.Acts = nil
	}
	if cap(o.acts) <= mostRoom {
		o.leave()
	}
	return r.out
}
