// Package pluginconfig reads the file of kube-apiserver's flag --admission-control-config-file, and the configuration
// of each admission plugin in it.
package pluginconfig
