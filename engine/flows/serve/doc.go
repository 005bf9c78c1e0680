// Package serve makes passes by itself: on the schedules of the workflows in force,
// when a webhook says that something happened, and every now and then in any case.
// It tells by HTTP how it does.
//
// It decides nothing that a single pass does not decide. What a webhook says is not
// even read: it wakes a pass, which looks for itself. Several daemons beside each
// other need not know of one another; whose change comes first is decided where refs
// move. It never takes a secret from a repository.
package serve
