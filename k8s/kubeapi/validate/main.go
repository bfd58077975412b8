// Command validate says what a Kubernetes API would answer to manifests, without a cluster and without a network:
//
//	go run github.com/decorum-go/decorum/k8s/kubeapi/validate@latest -f manifests/ --crds crds/ --policies policies/
//
// docs/validate.md describes its flags and its output.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/offline"
)

// collection is the growth of the heap in percent until the next collection of garbage. The program ends soon, so rare
// collections pay.
const collection = 400

func main() {
	debug.SetGCPercent(collection)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := offline.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
