package program

// Language is the language of a program text.
type Language int

// The languages that Read knows.
const (
	Shell Language = iota
	Python
	JavaScript
	Ruby
	Perl
	PHP
	PowerShell
	// Compiled is Go, Rust, Java, Kotlin, Groovy, C#, Swift, Scala or Dart.
	Compiled
)

// Kind is the effect of an Act on its Data.
type Kind int

const (
	// Command starts the program Name with Args.
	Command Kind = iota
	// Call calls the function Name with Args.
	Call
	// Run has Data interpreted as a program.
	Run
	// Send has Data leave the machine towards To.
	Send
	// Lookup asks a name server for Data.
	Lookup
	// Write stores Data under the path To.
	Write
	// Print shows Data on the standard output.
	Print
)

// Act is one thing that a program does.
type Act struct {
	// At and End are byte offsets in the text that was read. For an act of a
	// nested program they are the offsets of the outermost command.
	At, End int
	Kind    Kind
	// Name is the base name of a program or the dotted name of a function, with
	// import aliases resolved.
	Name string
	// Args are the words after a command's name, or a call's arguments.
	Args []Value
	// Input is the standard input of a command.
	Input Value
	// Data is the data that a Run, Send, Lookup, Write or Print handles.
	Data Value
	// To is the address of a Send, the path of a Write or of the file that a Run
	// starts; empty if it is not known.
	To Value
	// Nested says that the act is part of a program inside the program.
	Nested bool
	// Raised says that a command runs with the rights of the administrator.
	Raised bool
}

// Reading is the effect of a program text, as far as it was found.
type Reading struct {
	Acts []Act
	// Lines are commands and calls written out plainly, where that differs from
	// the text: the same for sh${IFS}-c and for sh -c.
	Lines []Line
	// Imports are the modules that a Python or JavaScript program loads by name.
	Imports []Import
	// Written holds the data written to files, by path, for comparison between
	// programs of one capability.
	Written map[string]Value
	// Broken says that a part was not understood and read by blanks alone.
	Broken bool
}

// Import is a module that is loaded by name.
type Import struct {
	At, End  int
	Language Language
	Name     string
}

// Line is one command or call, written plainly.
type Line struct {
	At, End int
	Text    string
	// Disguised says that letters of it were hidden by spelling.
	Disguised bool
}
