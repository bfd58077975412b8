// Command kubeapi serves the Kubernetes API for tests and tools, without a cluster: no kubelet, no scheduler, no etcd.
//
//	go run github.com/decorum-go/decorum/k8s/kubeapi@latest
//
// It prints "ready URL" and "kubeconfig PATH", each on a line of its own, and ends on an interrupt.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/program"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := program.Run(ctx, program.Process{Args: os.Args, Getenv: os.Getenv, Stdin: os.Stdin, Stdout: os.Stdout,
		Stderr: os.Stderr})
	stop()
	os.Exit(code)
}
