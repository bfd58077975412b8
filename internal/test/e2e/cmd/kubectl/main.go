// Command kubectl is the kubectl of the release that this module's go.mod pins, so that the end-to-end tests do not
// depend on the installed one.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
)

func main() {
	os.Exit(cli.Run(cmd.NewDefaultKubectlCommand()))
}
