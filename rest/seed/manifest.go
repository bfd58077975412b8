package seed

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"sigs.k8s.io/yaml"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
)

// manifest is one object of a file.
type manifest struct {
	where           string // the file and the document, for errors
	kind            apimeta.GroupVersionKind
	namespace, name string
	text            []byte
}

// The phases in which manifests are applied.
const (
	definitions = iota
	namespaces
	others
)

func (m manifest) phase() int {
	switch (apimeta.GroupKind{Group: m.kind.Group, Kind: m.kind.Kind}) {
	case apimeta.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}:
		return definitions
	case apimeta.GroupKind{Kind: "Namespace"}:
		return namespaces
	default:
		return others
	}
}

// read returns the manifests of all files, in the order of their names.
func read(files fs.FS) (all []manifest, err error) {
	err = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !isManifest(name) {
			return err
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		i := 0
		for _, document := range codec.Documents(text) {
			i++
			of, err := parse(fmt.Sprintf("%s: document %d", name, i), document)
			if err != nil {
				return err
			}
			all = append(all, of...)
		}
		return nil
	})
	return all, err
}

func isManifest(name string) bool {
	switch path.Ext(name) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}

// parse returns the object of a document, the objects of a list, or nothing for a document without content.
func parse(where string, text []byte) ([]manifest, error) {
	json, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	if string(json) == "null" {
		return nil, nil
	}
	return parseJSON(where, json)
}

func parseJSON(where string, text []byte) ([]manifest, error) {
	var head struct {
		apimeta.TypeMeta
		Metadata struct{ Name, Namespace string }
		Items    []json.RawMessage
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, fmt.Errorf("%s: the document is not an object: %w", where, err)
	}
	gv, err := apimeta.ParseGroupVersion(head.APIVersion)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", where, err)
	case head.APIVersion == "" || head.Kind == "":
		return nil, fmt.Errorf("%s: apiVersion or kind is missing", where)
	case head.APIVersion == "v1" && head.Kind == "List":
		var all []manifest
		for i, item := range head.Items {
			of, err := parseJSON(fmt.Sprintf("%s: items[%d]", where, i), item)
			if err != nil {
				return nil, err
			}
			all = append(all, of...)
		}
		return all, nil
	case head.Metadata.Name == "":
		return nil, fmt.Errorf("%s: %w", where, errors.New("metadata.name is missing"))
	}
	kind, metadata := gv.WithKind(head.Kind), head.Metadata
	return []manifest{{where: where, kind: kind, namespace: metadata.Namespace, name: metadata.Name, text: text}}, nil
}
