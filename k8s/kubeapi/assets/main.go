// Command assets writes the folder of executables that controller-runtime's envtest needs into the user's cache, and
// prints its path:
//
//	KUBEBUILDER_ASSETS=$(go run github.com/decorum-go/decorum/k8s/kubeapi/assets@latest) go test ./...
//
// The executables are copies of this one, which looks at the name under which it was started.
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
	code := program.RunAssets(ctx,
		program.Process{Args: os.Args, Getenv: os.Getenv, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr})
	stop()
	os.Exit(code)
}
