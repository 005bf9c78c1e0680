// Package remote talks to the other side of a Git repository: it pushes refs so
// that all of them move or none, and follows in tracking refs what is there.
//
// Folders of this machine and plain HTTP are spoken to directly, because a push
// that is to win or lose a race must know what the remote held when it was made;
// everything else, and whatever the user's configuration asks for beyond that, is
// left to the git program. What a remote says is never believed beyond its form.
//
// It must never move a ref that anything here is read from, run a hook of this
// repository, or use a transport that names a program to run.
package remote
