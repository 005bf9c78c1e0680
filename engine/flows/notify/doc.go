// Package notify delivers the notices of package notice: it runs commands and posts to
// webhooks. It records deliveries in the user's own folder, so several processes send each
// notice once, and the next run retries failures.
//
// It runs only the commands in the user's own notify.yaml, never through a shell, and
// follows no redirect. A failing target is part of the result, never an error.
package notify
