// Package ask sends a question to a helper that the user configured, and returns its answer.
// A helper is a command, or an endpoint with the API of OpenAI's chat completions. The
// user's own files or a flag name it, never a workspace. One exception: the policies in force may name
// the service of embeddings. Its key comes from an environment variable with its host's name.
//
// The question holds text by others and is passed as data: to a command on standard
// input, without the engine's credentials in its environment; to a model between two lines
// that the text cannot contain. An answer is bounded in time and size.
//
// The package also asks for second opinions on capabilities and proposals. An opinion adds
// findings and removes none. No answer, a late or oversized one, or one of another form is a
// finding that escalates, never a pass.
package ask
