// Package mission carries a mission through by the command of an agent: it gives the command what is
// in force for the mission, hears what the agent lacked, reports what nothing serves, waits until that
// is in force, and runs the command again.
//
// Each step is recorded in a journal of the user's own before the next one begins, so a mission that
// was interrupted goes on where it was. The command runs as the user, outside the sandbox.
package mission
