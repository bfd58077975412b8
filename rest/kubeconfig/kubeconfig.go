// Package kubeconfig reads the files in which kubectl keeps the addresses of servers and the credentials for them, and makes
// a [rest.Server] of them for [rest.ClientAt].
//
//	config, err := kubeconfig.Default(kubeconfig.Options{})
//	widgets := rest.ClientAt(config.Server, rest.Resource[Widget]{…}).Namespace(config.Namespace)
//
// It understands all entries of clusters, contexts and users. An error names the file, the context and the field. Entries that
// run another program, exec and auth-provider, need a function of the caller's: see [Options].Run. The configuration that a
// cluster gives to its Pods is not a kubeconfig file; package kubeconfig does not read it.
package kubeconfig

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/rest"
)

// Options choose what to read from kubeconfig files.
type Options struct {
	// Context is the name of the context. Default: the current-context of the files.
	Context string
	// Run obtains the credentials of a user whose entry names a plugin. The requests of the server call it when they need
	// credentials: before the first request, after the credentials have expired, and after an answer 401. It is never called
	// twice at a time, and a call ends with the request that needs it. Without it, such users are refused.
	Run func(ctx context.Context, p Plugin) (Credentials, error)
}

// Config is what a context says.
type Config struct {
	// Server has the URL of the cluster, and an http.Client that brings the credentials of the user. The client follows the proxy
	// of the cluster or else, like http.DefaultTransport, those of the environment.
	Server rest.Server
	// Namespace is the namespace of the context, "default" if it has none.
	Namespace string
	// Context is the name of the context.
	Context string
}

// Default reads the files that kubectl reads: those that the environment variable KUBECONFIG lists, or else .kube/config in the
// home directory. Files of the list may be missing, but not all of them.
func Default(o Options) (Config, error) {
	if list := os.Getenv("KUBECONFIG"); list != "" {
		return load(o, filepath.SplitList(list), true)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return Config{}, fmt.Errorf("kubeconfig: %w", err)
	}
	return Load(o, filepath.Join(home, ".kube", "config"))
}

// Load reads files and merges them as kubectl merges those of KUBECONFIG: the first file that sets the current-context or has a
// cluster, context or user of a name decides. Paths in a file are relative to its directory.
func Load(o Options, paths ...string) (Config, error) { return load(o, paths, false) }

func load(o Options, paths []string, optional bool) (Config, error) {
	var merged merged
	for i, path := range paths {
		if path == "" || slices.Contains(paths[:i], path) {
			continue
		}
		text, err := os.ReadFile(path)
		if optional && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Config{}, fmt.Errorf("kubeconfig: %w", err)
		}
		if err := merged.add(path, text); err != nil {
			return Config{}, fmt.Errorf("kubeconfig: %w", err)
		}
	}
	if merged.files == 0 {
		return Config{}, fmt.Errorf("kubeconfig: no file exists: %s", strings.Join(paths, ", "))
	}
	return merged.config(o)
}

// Parse reads the text of one file. Errors call it "kubeconfig". Paths in it are relative to the working directory.
func Parse(o Options, text []byte) (Config, error) {
	var merged merged
	if err := merged.add("", text); err != nil {
		return Config{}, fmt.Errorf("kubeconfig: %w", err)
	}
	return merged.config(o)
}
