// Package agenttest is a model that follows a script, on loopback, so that tests drive real
// agent clients without any model: it answers as the APIs of Anthropic (/v1/messages) and OpenAI
// (/v1/responses) do, and keeps each request, in which a test sees what a client told the model.
package agenttest
