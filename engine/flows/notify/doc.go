// Package notify tells targets what package notice found to tell: it runs commands,
// posts to webhooks, and remembers in the user's own folder who was told, so that
// several processes tell nobody twice and what failed is tried again by the next run.
//
// It runs nothing but what the user's own notify.yaml names, never through a shell,
// and follows no redirection. A target that fails is an answer, never an error.
package notify
