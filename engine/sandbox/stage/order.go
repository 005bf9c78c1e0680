package stage

import (
	"errors"
	"strconv"
	"strings"
)

// Variable is the environment variable whose value is the descriptor that an Order is
// read from. Without it nothing happens.
const Variable = "ASSENT_SANDBOX_STAGE"

// Path is where the sandbox has this program.
const Path = "/.assent-stage"

// Report is the descriptor on which the stage says how far it came: Began before it becomes
// the program, with a descriptor of the first process inside, and what failed, if anything did. The program does not inherit it.
const (
	Report = 3
	Began  = "+"
)

// An Order says what to give up, and what to become.
type Order struct {
	Args []string // the program's path and its arguments
	Env  []string // "NAME=value"
	// User is the user and group to become; 0 stays who it is.
	User int
	// Writable are folders that may be written to; all others are only read.
	Writable []string
	// Runnable are folders whose programs may be run.
	Runnable []string
	// Limits are resource limits by their number, soft and hard alike.
	Limits map[int]uint64
	// Port of 127.0.0.1 is the only one that may be connected to; 0 means no network.
	Port int
	// Channel is the descriptor of the socket that the one listening on Port is handed to.
	Channel int
}

// The letters before each field of an Order's bytes.
const (
	argField, envField, userField, writableField, limitField, portField, channelField, runnableField = 'a', 'e', 'u', 'w', 'l', 'p', 'c', 'x'
)

// Bytes gives an Order in the form that Parse reads: fields with a letter before and a
// NUL behind. None of its strings may contain NUL.
func (o Order) Bytes() []byte {
	var b strings.Builder
	field := func(letter byte, text string) {
		b.WriteByte(letter)
		b.WriteString(text)
		b.WriteByte(0)
	}
	for _, arg := range o.Args {
		field(argField, arg)
	}
	for _, e := range o.Env {
		field(envField, e)
	}
	for _, dir := range o.Writable {
		field(writableField, dir)
	}
	for _, dir := range o.Runnable {
		field(runnableField, dir)
	}
	for resource := range resources { // in order, so that the bytes are the same each time
		if limit, ok := o.Limits[resource]; ok {
			field(limitField, strconv.Itoa(resource)+"="+strconv.FormatUint(limit, 10))
		}
	}
	if o.User != 0 {
		field(userField, strconv.Itoa(o.User))
	}
	if o.Port != 0 {
		field(portField, strconv.Itoa(o.Port))
	}
	if o.Channel != 0 {
		field(channelField, strconv.Itoa(o.Channel))
	}
	return []byte(b.String())
}

// resources is one more than the greatest number of a resource limit of Linux.
const resources = 16

var errOrder = errors.New("the order is damaged")

// Parse reads an Order. One that cannot be read in full is refused: nothing may be
// given up by halves.
func Parse(text []byte) (Order, error) {
	var o Order
	rest := string(text)
	for rest != "" {
		field, after, ended := strings.Cut(rest, "\x00")
		if !ended || field == "" {
			return Order{}, errOrder
		}
		if err := o.set(field[0], field[1:]); err != nil {
			return Order{}, err
		}
		rest = after
	}
	if len(o.Args) == 0 || o.Args[0] == "" || (o.Port == 0) != (o.Channel == 0) {
		return Order{}, errOrder
	}
	return o, nil
}

func (o *Order) set(letter byte, text string) (err error) {
	switch letter {
	case argField:
		o.Args = append(o.Args, text)
	case envField:
		o.Env = append(o.Env, text)
	case writableField:
		o.Writable = append(o.Writable, text)
	case runnableField:
		o.Runnable = append(o.Runnable, text)
	case limitField:
		return o.limit(text)
	case userField:
		o.User, err = number(text, 1<<31-1)
	case portField:
		o.Port, err = number(text, 65535)
	case channelField:
		o.Channel, err = number(text, 1<<16)
	default:
		err = errOrder
	}
	return err
}

func (o *Order) limit(text string) error {
	name, value, _ := strings.Cut(text, "=")
	resource := 0
	if name != "0" { // the number of CPU time
		var err error
		if resource, err = number(name, resources-1); err != nil {
			return err
		}
	}
	limit, err := strconv.ParseUint(value, 10, 64)
	if err != nil {
		return errOrder
	}
	if o.Limits == nil {
		o.Limits = map[int]uint64{}
	}
	o.Limits[resource] = limit
	return nil
}

func number(text string, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, errOrder
	}
	return n, nil
}
