package kubeapitest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	decorum "github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
)

// establishing is how long New waits for the definitions of a test. It is long because test machines can be slow.
const establishing = time.Minute

// load installs the definitions and creates the objects of the options. Webhooks come last, because the test has not
// started their server yet.
func (s *Server) load(options Options) error {
	definitions, err := readAll(options.CRDs)
	if err != nil {
		return err
	}
	definitions = slices.DeleteFunc(definitions, func(o *unstructured.Unstructured) bool { return !isDefinition(o) })
	objects, err := readAll(options.Objects)
	if err != nil {
		return err
	}
	objects = slices.DeleteFunc(objects, func(o *unstructured.Unstructured) bool {
		if isDefinition(o) {
			definitions = append(definitions, o)
		}
		return isDefinition(o)
	})
	webhooks, err := readAll(options.Webhooks)
	if err != nil {
		return err
	}
	webhooks = slices.DeleteFunc(webhooks, func(o *unstructured.Unstructured) bool { return !isWebhookConfiguration(o) })
	if err := convertByWebhook(definitions, options.ConversionWebhooks); err != nil {
		return err
	}
	s.services = trust(clientConfigs(slices.Concat(definitions, objects, webhooks)), s.secrets.Authority.Certificate())
	if err := s.install(definitions); err != nil {
		return err
	}
	return s.create(append(objects, webhooks...))
}

func isDefinition(o *unstructured.Unstructured) bool {
	return o.GetKind() == "CustomResourceDefinition" && o.GroupVersionKind().Group == apiextensions.Group
}

// readAll reads the objects in files and folders.
func readAll(paths []string) (objects []*unstructured.Unstructured, err error) {
	for _, path := range paths {
		files := []string{path}
		if info, err := os.Stat(path); err != nil {
			return nil, err
		} else if info.IsDir() {
			if files, err = manifestsIn(path); err != nil {
				return nil, err
			}
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			found, err := parse(text)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			objects = append(objects, found...)
		}
	}
	return objects, nil
}

func manifestsIn(folder string) (files []string, err error) {
	entries, err := os.ReadDir(folder)
	for _, entry := range entries {
		if extension := filepath.Ext(entry.Name()); !entry.IsDir() &&
			slices.Contains([]string{".yaml", ".yml", ".json"}, extension) {
			files = append(files, filepath.Join(folder, entry.Name()))
		}
	}
	return files, err
}

// parse reads the documents of a file. Documents without a kind, such as the settings of kustomize, are left out.
func parse(text []byte) (objects []*unstructured.Unstructured, err error) {
	documents := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		o := new(unstructured.Unstructured)
		err := documents.Decode(&o.Object)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		if o.GetKind() != "" && o.GetAPIVersion() != "" && o.GetKind() != "Kustomization" {
			objects = append(objects, o)
		}
	}
}

// install creates definitions, and returns when the API serves their kinds.
func (s *Server) install(definitions []*unstructured.Unstructured) error {
	if len(definitions) == 0 {
		return nil
	}
	client, err := rest.UnversionedRESTClientFor(dynamic.ConfigFor(s.Config()))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), establishing)
	defer cancel()
	waiting := map[string]bool{}
	for _, d := range definitions {
		text, err := d.MarshalJSON()
		if err != nil {
			return err
		}
		// The answers are not decoded, because definitions are large.
		path := "/apis/" + d.GetAPIVersion() + "/customresourcedefinitions"
		if err := client.Post().AbsPath(path).SetHeader("Content-Type",
			"application/json").Body(text).Do(ctx).Error(); err != nil {
			return err
		}
		waiting[d.GetName()] = true
	}
	served, err := decorum.ClientForType[apiextensions.CustomResourceDefinition](s.cluster.API())
	if err != nil {
		return err
	}
	for event, err := range served.Follow(ctx, decorum.WatchOptions{}) {
		if err != nil {
			return err
		}
		if event.Object.Is(apiextensions.Established) {
			delete(waiting, event.Object.Name)
		}
		if len(waiting) == 0 {
			return nil
		}
	}
	return fmt.Errorf("the API does not serve the kinds of all definitions: %w", ctx.Err())
}

// create creates objects in their order.
func (s *Server) create(objects []*unstructured.Unstructured) error {
	if len(objects) == 0 {
		return nil
	}
	config := s.Config()
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	asking, err := discovery.NewDiscoveryClientForConfigAndClient(config, &http.Client{Transport: config.Transport})
	if err != nil {
		return err
	}
	groups, err := restmapper.GetAPIGroupResources(asking)
	if err != nil {
		return err
	}
	kinds := restmapper.NewDiscoveryRESTMapper(groups)
	for _, o := range objects {
		gvk := o.GroupVersionKind()
		mapping, err := kinds.RESTMapping(gvk.GroupKind(), gvk.Version)
		if err != nil {
			return err
		}
		namespace := o.GetNamespace()
		if mapping.Scope.Name() == "namespace" && namespace == "" {
			namespace = metav1.NamespaceDefault
		}
		if _, err := client.Resource(mapping.Resource).Namespace(namespace).Create(context.Background(), o,
			metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return nil
}
