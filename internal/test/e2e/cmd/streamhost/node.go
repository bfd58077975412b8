package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	corev1 "k8s.io/api/core/v1"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// node holds the containers of all pods.
type node struct {
	folder string

	mu         sync.Mutex
	containers map[string]*container
}

// streams returns the subresources of pods that exchange streams or bytes instead of objects.
func (n *node) streams() []rest.SubresourceOf[corev1.Pod] {
	return []rest.SubresourceOf[corev1.Pod]{
		rest.Stream[corev1.Pod, corev1.PodLogOptions]{
			Name:  "log",
			Check: func(_ context.Context, pod *corev1.Pod, o *corev1.PodLogOptions) error { return has(pod, o.Container) },
			Output: func(ctx context.Context, pod *corev1.Pod, o *corev1.PodLogOptions, out io.Writer) error {
				c, err := n.container(pod)
				if err != nil {
					return err
				}
				return c.log.print(ctx, o, out)
			},
		},
		rest.Stream[corev1.Pod, corev1.PodExecOptions]{
			Name:  "exec",
			Check: func(_ context.Context, pod *corev1.Pod, o *corev1.PodExecOptions) error { return has(pod, o.Container) },
			Session: func(ctx context.Context, pod *corev1.Pod, o *corev1.PodExecOptions, s *rest.Session) error {
				c, err := n.container(pod)
				if err != nil {
					return err
				}
				return c.exec(ctx, o.Command, s)
			},
		},
		rest.Stream[corev1.Pod, corev1.PodAttachOptions]{
			Name: "attach",
			Check: func(_ context.Context, pod *corev1.Pod, o *corev1.PodAttachOptions) error {
				return has(pod, o.Container)
			},
			Session: func(ctx context.Context, pod *corev1.Pod, _ *corev1.PodAttachOptions, s *rest.Session) error {
				c, err := n.container(pod)
				if err != nil {
					return err
				}
				return c.attach(ctx, s)
			},
		},
		rest.Stream[corev1.Pod, corev1.PodPortForwardOptions]{
			Name: "portforward",
			Forward: func(_ context.Context, pod *corev1.Pod, _ *corev1.PodPortForwardOptions, port uint16,
				conn io.ReadWriter) error {
				_, err := fmt.Fprintf(conn, "port %d of %s\n", port, pod.Name)
				return err
			},
		},
		rest.Stream[corev1.Pod, corev1.PodProxyOptions]{
			Name: "proxy",
			Serve: func(w http.ResponseWriter, r *http.Request, pod *corev1.Pod, _ *corev1.PodProxyOptions) {
				fmt.Fprintf(w, "%s %s of %s\n", r.Method, r.URL.Path, pod.Name)
			},
		},
	}
}

func has(pod *corev1.Pod, container string) error {
	for _, c := range pod.Spec.Containers {
		if container == "" || c.Name == container {
			return nil
		}
	}
	return status.BadRequest(fmt.Sprintf("container %s is not valid for pod %s", container, pod.Name))
}

// container is the container of a pod: a folder for its commands, and a log.
type container struct {
	folder string
	log    *lines
}

// container returns the pod's container, and creates it on first use.
func (n *node) container(pod *corev1.Pod) (*container, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	c := n.containers[string(pod.UID)]
	if c == nil {
		c = &container{folder: filepath.Join(n.folder, string(pod.UID)), log: newLines()}
		if err := os.Mkdir(c.folder, 0o755); err != nil {
			return nil, err
		}
		c.log.add("started")
		n.containers[string(pod.UID)] = c
	}
	return c, nil
}

// exec runs a command in the container's folder.
func (c *container) exec(ctx context.Context, command []string, s *rest.Session) error {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.folder, s.Stdout, s.Stderr
	// The command gets a pipe instead of s.Stdin, because Wait would otherwise wait for input that the command never
	// reads.
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return status.BadRequest(err.Error())
	}
	go func() {
		_, _ = io.Copy(stdin, s.Stdin)
		_ = stdin.Close()
	}()
	err = cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return status.NonZeroExit(exit.ExitCode())
	}
	return err
}

// attach adds the client's input to the log, and sends it new lines of the log until its input ends.
func (c *container) attach(ctx context.Context, s *rest.Session) error {
	ctx, said := context.WithCancel(ctx)
	defer said()
	from := c.log.len() // before the client's input can add a line
	go func() {
		defer said()
		for scanner := bufio.NewScanner(s.Stdin); scanner.Scan(); {
			c.log.add(scanner.Text())
		}
	}()
	return c.log.follow(ctx, from, s.Stdout)
}
