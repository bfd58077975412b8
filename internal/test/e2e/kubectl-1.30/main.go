// Command kubectl-1.30 is the kubectl of the release that this module's go.mod pins. It stands for users who have not
// upgraded for a while.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
)

func main() {
	os.Exit(cli.Run(cmd.NewDefaultKubectlCommand()))
}
