// Package kept keeps generated workspaces between runs, in a folder of their own
// below the user's cache: making one with a hundred thousand capabilities takes
// longer than measuring it.
//
// What is kept is never changed. Whoever writes gets a copy, whose packs are links
// to the kept ones. A workspace is kept under the digest of everything that it
// depends on, so that another version of the generator finds none of the old.
package kept
