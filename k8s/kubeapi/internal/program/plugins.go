package program

import (
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/kinds"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/pluginconfig"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/server"
)

//go:embed plugins.txt
var pluginsText string

// pluginFlags are the flags about admission plugins.
type pluginFlags struct {
	enabled, disabled, only []string
	configFile              string
	tolerations             kinds.PluginOptions // NotReadySeconds and UnreachableSeconds
}

func (f *pluginFlags) define(set *flag.FlagSet) {
	for _, names := range []struct {
		flag, usage string
		list        *[]string
	}{
		{"enable-admission-plugins", "names of admission plugins that run beside those that are on by default", &f.enabled},
		{"disable-admission-plugins", "names of admission plugins that do not run", &f.disabled},
		{"admission-control", "names of the only admission plugins that run (deprecated)", &f.only},
	} {
		set.Func(names.flag, names.usage, func(s string) error { appendNames(names.list, s); return nil })
	}
	set.StringVar(&f.configFile, "admission-control-config-file", "", "an AdmissionConfiguration")
	for _, seconds := range []struct {
		flag, node string
		into       **int64
	}{
		{"default-not-ready-toleration-seconds", "not ready", &f.tolerations.NotReadySeconds},
		{"default-unreachable-toleration-seconds", "out of reach", &f.tolerations.UnreachableSeconds},
	} {
		set.Func(seconds.flag, "how long Pods stay on a node that is "+seconds.node, func(s string) error {
			n, err := strconv.ParseInt(s, 0, 64)
			*seconds.into = &n
			return err
		})
	}
}

// plugins returns what the flags choose. It also returns the names of the plugins that a flag disables, but the server
// cannot.
func (f *pluginFlags) plugins() (o kinds.PluginOptions, remaining []string, err error) {
	if err := f.check(); err != nil {
		return o, nil, err
	}
	o = f.tolerations
	o.On, o.Off = f.enabled, f.disabled
	if f.only != nil {
		o.On, o.Off = f.only, slices.DeleteFunc(pluginNames(),
			func(name string) bool { return slices.Contains(f.only, name) })
	}
	for _, name := range o.Off {
		if pluginDefaults()[name] && !slices.Contains(server.Plugins(), name) {
			remaining = append(remaining, name)
		}
	}
	if f.configFile != "" {
		if o.Config, err = pluginconfig.Read(f.configFile); err != nil {
			err = fmt.Errorf("failed to read plugin config: %w", err)
		}
	}
	return o, remaining, err
}

// check refuses unknown plugins, and flags that contradict each other.
func (f *pluginFlags) check() error {
	var errs []error
	if f.only != nil && (f.enabled != nil || f.disabled != nil) {
		errs = append(errs, errors.New(
			"admission-control and enable-admission-plugins/disable-admission-plugins flags are mutually exclusive"))
	}
	known := pluginDefaults()
	for _, flag := range []struct {
		name  string
		names []string
	}{{"admission-control", f.only}, {"enable-admission-plugins", f.enabled}, {"disable-admission-plugins", f.disabled}} {
		for _, name := range flag.names {
			if _, ok := known[name]; !ok {
				errs = append(errs, fmt.Errorf("%s plugin %q is unknown", flag.name, name))
			}
		}
	}
	var both []string
	for _, name := range f.enabled {
		if slices.Contains(f.disabled, name) {
			both = append(both, name)
		}
	}
	if slices.Sort(both); len(both) > 0 {
		errs = append(errs, fmt.Errorf("%v in enable-admission-plugins and disable-admission-plugins overlapped",
			slices.Compact(both)))
	}
	return errors.Join(errs...)
}

// appendNames adds the names in the value of a flag to a list, which then is not nil.
func appendNames(list *[]string, value string) {
	if *list == nil {
		*list = []string{}
	}
	if value != "" {
		*list = append(*list, strings.Split(value, ",")...)
	}
}

// pluginDefaults says of each admission plugin of kube-apiserver whether it is enabled by default.
func pluginDefaults() map[string]bool {
	defaults := map[string]bool{}
	for words := range table(pluginsText) {
		defaults[words[0]] = words[1] == "on"
	}
	return defaults
}

// pluginNames returns the names of all admission plugins of kube-apiserver.
func pluginNames() (names []string) {
	for words := range table(pluginsText) {
		names = append(names, words[0])
	}
	return names
}
