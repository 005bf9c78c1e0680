// Package agenttest is a scripted model on loopback, so tests run real agent clients
// without a real model. It answers like the APIs of Anthropic (/v1/messages) and OpenAI
// (/v1/responses), and keeps each request, so a test sees what a client sent to the model.
package agenttest
