package intercept

import "fmt"

// The names of the stages, which [Options.Self] is followed by.
const (
	stageLaunch  = "launch"  // starts the command under a filter, and waits for all that comes of it
	stageEnter   = "enter"   // starts the next one in a network of its own
	stageInhabit = "inhabit" // furnishes that network, and starts the command
	stageProbe   = "probe"   // a command that connects, for [Choose]
)

// Stage does the work of one of the processes by which a command comes to be intercepted, in a program that is started
// as Options.Self says. args are the name of the stage and, but for a probe, the path of the interceptor's socket.
func Stage(self, args, command []string) (status int, err error) {
	var stage, socket string
	switch len(args) {
	case 2:
		stage, socket = args[0], args[1]
	case 1:
		stage = args[0]
	}
	switch {
	case stage == stageProbe:
		return 0, connectOnce()
	case socket == "" || len(command) == 0:
	case stage == stageLaunch:
		return launch(socket, command)
	case stage == stageEnter:
		return enter(append(append(self, stageInhabit, socket, "--"), command...))
	case stage == stageInhabit:
		return inhabit(socket, command)
	}
	return 0, fmt.Errorf("there is no stage %q for a socket and a command; flaketap mock serve starts it", args)
}
