package pluginconfig

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/decorum-go/decorum/internal/smallfile"
)

// File is an AdmissionConfiguration. A nil File has no configuration for any plugin.
type File struct {
	path    string
	plugins []entry
}

// entry is the configuration of one plugin.
type entry struct {
	Name          string          `json:"name"`
	Path          string          `json:"path"`
	Configuration json.RawMessage `json:"configuration"`
}

// given reports whether the file itself has the configuration. Then Path does not count.
func (e entry) given() bool { return len(e.Configuration) > 0 && string(e.Configuration) != "null" }

var fileKinds = []schema.GroupVersionKind{
	{Group: "apiserver.config.k8s.io", Version: "v1", Kind: "AdmissionConfiguration"},
	{Group: "apiserver.k8s.io", Version: "v1alpha1", Kind: "AdmissionConfiguration"},
}

// unversioned are the plugins whose own configuration may stand in place of an AdmissionConfiguration, and the field
// that it begins with.
var unversioned = map[string]string{"ImagePolicyWebhook": "imagePolicy",
	"PodNodeSelector": "podNodeSelectorPluginConfig"}

// Read reads an AdmissionConfiguration. Paths in it are relative to its folder. Read does not read the files at these
// paths, because only the plugins that run need theirs.
func Read(path string) (*File, error) {
	text, err := smallfile.Read(path)
	if err != nil {
		return nil, fmt.Errorf("unable to read admission control configuration from %q [%w]", path, err)
	}
	var content struct {
		APIVersion string  `json:"apiVersion"`
		Kind       string  `json:"kind"`
		Plugins    []entry `json:"plugins"`
	}
	err = Decode(text, Strict, &content, fileKinds...)
	if known := runtime.IsMissingKind(err) || runtime.IsMissingVersion(err) || runtime.IsNotRegisteredError(err); known {
		if f := withoutVersion(path, text); f != nil {
			return f, nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i, e := range content.Plugins {
		if e.Path != "" && !filepath.IsAbs(e.Path) {
			content.Plugins[i].Path = filepath.Join(filepath.Dir(path), e.Path)
		}
	}
	return &File{path, content.Plugins}, nil
}

// withoutVersion returns a File for the plugins that read the text itself. It returns nil if the text is not a
// configuration of one of them.
func withoutVersion(path string, text []byte) *File {
	var fields map[string]any
	if yaml.Unmarshal(text, &fields) != nil {
		return nil
	}
	f := &File{path: path}
	found := false
	for name, field := range unversioned {
		_, has := fields[field]
		found = found || has
		f.plugins = append(f.plugins, entry{Name: name, Path: path})
	}
	if !found {
		return nil
	}
	return f
}

// Of calls read with the configuration of a plugin in JSON or YAML, or with nil if it has none. It adds the path of the
// file to the error of read. If the file has several entries for a plugin, the first one counts.
func (f *File) Of(plugin string, read func(text []byte) error) error {
	if f == nil {
		return read(nil)
	}
	i := slices.IndexFunc(f.plugins, func(e entry) bool { return e.Name == plugin })
	if i < 0 {
		return read(nil)
	}
	text, path := []byte(f.plugins[i].Configuration), f.path
	if !f.plugins[i].given() {
		if text, path = nil, f.plugins[i].Path; path == "" {
			return read(nil)
		}
		var err error
		if text, err = smallfile.Read(path); err != nil {
			return fmt.Errorf("couldn't open admission plugin configuration %s: %w", path, err)
		}
	}
	if err := read(text); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
