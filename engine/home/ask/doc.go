// Package ask gets an answer from a helper that the user configured: a
// command, or an endpoint that speaks as OpenAI's chat completions do.
//
// What is asked about was written by others. It is handed over as data: to a command on
// standard input, without what the engine logs in with; to a model between two lines that
// it cannot hold. An answer is bounded in time and size, and is only bytes: the caller
// reads and judges it.
package ask
