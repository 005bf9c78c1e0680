// Package failures keeps what calls were made with that ran and gave no result, so that
// one of them can become a case of the capability's tests. They lie in the user's own
// folder, a file for each workspace, the newest last, and the oldest go.
//
// What is kept has to be free of secrets already: the package takes out nothing. It never
// looks into a workspace, and nothing of the engine is decided by what it keeps.
package failures
