// Package agenttest is a scripted model on loopback, so tests run real agent clients
// without a real model. It answers like the APIs of Anthropic (/v1/messages), OpenAI
// (/v1/responses and /v1/chat/completions) and Google (:generateContent), and keeps each request, so a test sees what a client sent to the model.
package agenttest
