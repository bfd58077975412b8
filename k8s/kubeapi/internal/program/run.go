package program

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
)

// Process is how a program was started.
type Process struct {
	// Args are the name under which the program was started, and its arguments.
	Args           []string
	Getenv         func(string) string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// name returns the name under which the program was started, without its folder.
func (p Process) name() string { return strings.TrimSuffix(filepath.Base(p.Args[0]), ".exe") }

// Run serves the API, or plays the program under whose name it was started, until ctx ends. It returns the exit status.
func Run(ctx context.Context, p Process) int {
	if run, ok := roles()[p.name()]; ok {
		return run.exit(ctx, p, p.name())
	}
	return program(serveCluster).exit(ctx, p, "kubeapi")
}

// RunAssets plays the program under whose name it was started or, under any other name, installs the executable for
// envtest. It returns the exit status.
func RunAssets(ctx context.Context, p Process) int {
	if run, ok := roles()[p.name()]; ok {
		return run.exit(ctx, p, p.name())
	}
	return program(install).exit(ctx, p, "assets")
}

// program runs until it is done or ctx ends.
type program func(ctx context.Context, p Process) error

// roles are the programs of envtest, by name.
func roles() map[string]program {
	return map[string]program{"kube-apiserver": playAPIServer, "etcd": playEtcd, "kubectl": runKubectl}
}

// exit runs the program and returns its exit status. It prints an error on one line, which is often all that a test
// shows. A program that this one has run, and that has failed, has printed its error itself.
func (run program) exit(ctx context.Context, p Process, name string) int {
	err := run(ctx, p)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return failed.ExitCode()
	}
	fmt.Fprintf(p.Stderr, "%s: %s\n", name, strings.ReplaceAll(err.Error(), "\n", "; "))
	return 1
}
