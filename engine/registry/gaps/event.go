package gaps

// Event is one thing that happened in a session. Exactly one of Words, Call and Asked is set.
type Event struct {
	// Line is the line of the transcript, from 1.
	Line int
	// Words are what the agent said.
	Words string
	// Lines: the words stand in the transcript line by line, from Line on.
	Lines bool
	// Call is a call with its result.
	Call *Call
	// Asked: a person wrote to the agent, so a turn begins.
	Asked bool
}

// Call is a call of a tool with its result.
type Call struct {
	Tool string
	// Input is the command of a shell, an address, or the input as JSON.
	Input  string
	Output string
	Failed bool
}
