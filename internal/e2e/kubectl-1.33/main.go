// Command kubectl-1.33 is the kubectl of the release pinned in this module's
// go.mod: what people have who did not upgrade for a while.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
)

func main() {
	os.Exit(cli.Run(cmd.NewDefaultKubectlCommand()))
}
