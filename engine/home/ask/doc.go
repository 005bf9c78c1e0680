// Package ask asks somebody of the user's for something that assent does not know itself: a
// command, or an endpoint that speaks as OpenAI's chat completions do.
//
// What is asked about was written by others. It is handed over as data: to a command on
// standard input, without what the engine logs in with; to a model between two lines that
// it cannot hold. An answer is bounded in time and size, and is only bytes: whoever asked
// reads and judges it.
package ask
