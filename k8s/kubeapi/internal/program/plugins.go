package program

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/server"
)

//go:embed plugins.txt
var pluginsText string

// setPlugins reads a list of admission plugins to enable or to disable. It notes those that the server cannot switch.
func (f *serverFlags) setPlugins(enable bool, list string) error {
	defaults := pluginDefaults()
	for name := range strings.SplitSeq(list, ",") {
		on, known := defaults[name]
		switch {
		case !known:
			return fmt.Errorf("unknown admission plugin %q", name)
		case on == enable:
		case !enable && slices.Contains(server.Plugins(), name):
			f.pluginsOff = append(f.pluginsOff, name)
		case enable:
			f.notes = append(f.notes, "--enable-admission-plugins="+name+" has no effect")
		default:
			f.notes = append(f.notes, "--disable-admission-plugins="+name+" has no effect")
		}
	}
	return nil
}

// pluginDefaults says of each admission plugin of kube-apiserver whether it is enabled by default.
func pluginDefaults() map[string]bool {
	defaults := map[string]bool{}
	for words := range table(pluginsText) {
		defaults[words[0]] = words[1] == "on"
	}
	return defaults
}
