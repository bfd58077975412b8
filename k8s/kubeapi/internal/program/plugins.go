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

// setPlugins reads a list of admission plugins to enable or to disable. It notes those that the server cannot disable.
func (f *serverFlags) setPlugins(enable bool, list string) error {
	defaults := pluginDefaults()
	for name := range strings.SplitSeq(list, ",") {
		on, known := defaults[name]
		switched := slices.Contains(server.Plugins(), name)
		switch {
		case !known:
			return fmt.Errorf("unknown admission plugin %q", name)
		case enable && !on && !switched:
			return fmt.Errorf("kubeapi does not implement the admission plugin %s", name)
		case enable:
			f.plugins.On = append(f.plugins.On, name)
		case on && !switched:
			f.notes = append(f.notes, "--disable-admission-plugins="+name+" has no effect")
		default:
			f.plugins.Off = append(f.plugins.Off, name)
		}
	}
	return nil
}

// checkPlugins refuses to enable and to disable the same plugin.
func (f *serverFlags) checkPlugins() error {
	for _, name := range f.plugins.On {
		if slices.Contains(f.plugins.Off, name) {
			return fmt.Errorf("the admission plugin %s is both enabled and disabled", name)
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
