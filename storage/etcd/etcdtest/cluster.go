package etcdtest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/decorum-go/decorum/internal/test/loopback"
)

// Options configures [Start].
type Options struct {
	// Members is the number of members, by default one.
	Members int
	// Quota limits the size of the database of each member, in bytes. Zero means etcd's default.
	Quota int64
	// Sync makes the members sync their files, as in production.
	Sync bool
}

// Cluster is a cluster of etcd with its members as processes of their own.
type Cluster struct {
	members []*member
}

// member is one process.
type member struct {
	configuration
	process *exec.Cmd
	stdin   io.WriteCloser
}

// Start starts a cluster whose files are in a directory. The caller must stop it.
func Start(dir string, opts Options) (*Cluster, error) {
	c := &Cluster{}
	var peers []string
	for i := range max(1, opts.Members) {
		client, err := loopback.Reserve()
		if err != nil {
			return nil, err
		}
		peer, err := loopback.Reserve()
		if err != nil {
			return nil, err
		}
		client, peer = "http://"+client, "http://"+peer
		name := fmt.Sprint("member-", i)
		c.members = append(c.members,
			&member{configuration: configuration{Name: name, Dir: filepath.Join(dir, name), Client: client, Peer: peer,
				Quota: opts.Quota, Unsafe: !opts.Sync}})
		peers = append(peers, name+"="+peer)
	}
	ready := make(chan error, len(c.members))
	for _, m := range c.members {
		m.Cluster = strings.Join(peers, ",")
		go func() { ready <- m.start() }() // a member is ready once the cluster has a leader
	}
	var errs []error
	for range c.members {
		errs = append(errs, <-ready)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

func (m *member) start() error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	text, err := json.Marshal(m.configuration)
	if err != nil {
		return err
	}
	m.process = exec.Command(program)
	m.process.Env = append(os.Environ(), environment+"="+string(text))
	m.process.Stderr = os.Stderr
	if m.stdin, err = m.process.StdinPipe(); err != nil {
		return err
	}
	stdout, err := m.process.StdoutPipe()
	if err != nil {
		return err
	}
	if err := m.process.Start(); err != nil {
		return err
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "ready\n" {
		return fmt.Errorf("etcd %s: it said %q: %w", m.Name, line, err)
	}
	return nil
}

// Endpoints returns the URLs of the members.
func (c *Cluster) Endpoints() []string {
	var all []string
	for _, m := range c.members {
		all = append(all, m.Client)
	}
	return all
}

// Size returns the number of members.
func (c *Cluster) Size() int { return len(c.members) }

// Kill kills a member at once.
func (c *Cluster) Kill(member int) error {
	m := c.members[member]
	err := m.process.Process.Kill()
	_ = m.process.Wait()
	return err
}

// Restart starts a member that was killed.
func (c *Cluster) Restart(member int) error { return c.members[member].start() }

// Pause stops a member without closing its connections, until Resume.
func (c *Cluster) Pause(member int) error {
	process := c.members[member].process.Process
	if err := process.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	// Until one thread has received the signal, the other threads go on.
	var status syscall.WaitStatus
	for {
		_, err := syscall.Wait4(process.Pid, &status, syscall.WUNTRACED, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err == nil && !status.Stopped():
			return fmt.Errorf("etcd %s ended: %v", c.members[member].Name, status)
		}
		return err
	}
}

// Resume lets a paused member continue.
func (c *Cluster) Resume(member int) error {
	return c.members[member].process.Process.Signal(syscall.SIGCONT)
}

// Stop kills all members.
func (c *Cluster) Stop() error {
	for _, m := range c.members {
		if m.process != nil && m.process.Process != nil && m.process.ProcessState == nil {
			_ = m.process.Process.Kill()
			_ = m.process.Wait()
		}
	}
	return nil
}
