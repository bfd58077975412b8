package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// process is one replica, as a process of its own.
type process struct {
	number   int
	store    string
	backends *backends
	log      *lines
}

// supervise starts a replica again whenever it ends, until ctx ends.
func supervise(ctx context.Context, p *process) {
	for ctx.Err() == nil {
		err := p.run(ctx)
		p.backends.set(p.number, "")
		if ctx.Err() == nil {
			p.log.print("replica %d ended: %v", p.number, err)
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
		}
	}
}

// run runs the replica until it ends. When ctx ends, run closes the standard input of the process, which tells it to
// end. The same happens if this process is killed.
func (p *process) run(ctx context.Context) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(program, "replica", "--store", p.store, "--number", fmt.Sprint(p.number))
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = stdin.Close() })()
	out := bufio.NewReader(stdout)
	line, err := out.ReadString('\n')
	if address, ok := strings.CutPrefix(strings.TrimSpace(line), "ready "); ok {
		p.log.print("replica %d is process %d at %s", p.number, cmd.Process.Pid, address)
		p.backends.set(p.number, address)
		_, err = io.Copy(io.Discard, out)
	}
	if failed := cmd.Wait(); failed != nil {
		return failed
	}
	return fmt.Errorf("the process ended: %v", err)
}
