// Command kubectl is the kubectl of the release pinned in this module's
// go.mod, so that the end-to-end tests do not depend on what is installed.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
)

func main() {
	os.Exit(cli.Run(cmd.NewDefaultKubectlCommand()))
}
