// Package serve runs passes automatically: on the schedules of the workflows in force,
// after webhooks, and at regular intervals. It reports its state over HTTP.
//
// It decides nothing that a single pass does not decide. The content of a webhook is not
// even read: it only wakes a pass. Several daemons need no coordination: compare-and-swap
// of refs decides whose change comes first. It never reads a secret from a repository.
package serve
