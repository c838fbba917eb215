//go:build unix && !linux

package runtime

import "os/exec"

// rights are those that a reviewer process runs with: here ours, or none.
type rights struct{}

var ownRights rights

// otherRights are never to be had here: what is proven of a user id of its own
// is proven for Linux alone, which is where the action runs.
func otherRights(string) (rights, error) {
	return rights{}, refusePrivileges("this system is not Linux")
}

func (rights) open(string, string) error { return nil }

func (rights) start(cmd *exec.Cmd) (<-chan error, error) {
	waited := make(chan error, 1)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() { waited <- cmd.Wait() }()
	return waited, nil
}
